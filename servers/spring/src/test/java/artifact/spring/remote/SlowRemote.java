package artifact.spring.remote;

import module java.base;
import com.sun.net.httpserver.HttpServer;

/** A remote that holds its answers back until the test releases them. */
public final class SlowRemote implements AutoCloseable {

    /** 42 bytes, not all of them ASCII. */
    static final String BODY = "요청을 받았고 이것이 응답이다";

    public final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger peak = new AtomicInteger();
    volatile String lastQuery;
    volatile String lastAgent;
    private final CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    public SlowRemote() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            lastQuery = exchange.getRequestURI().getRawQuery();
            lastAgent = exchange.getRequestHeaders().getFirst("User-Agent");
            mayAnswer.join();
            inFlight.decrementAndGet();
            byte[] body = BODY.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html;charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    public void answer() {
        mayAnswer.complete(null);
    }

    public String option() {
        return "--remote.url=http://127.0.0.1:" + server.getAddress().getPort() + "/work?sleep_ms=1000";
    }

    @Override
    public void close() {
        answer();
        server.stop(0);
        threads.close();
    }
}
