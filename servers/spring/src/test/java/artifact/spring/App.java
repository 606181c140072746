package artifact.spring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import module java.base;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.catalina.connector.Connector;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** The application with some options, and a client of it; it is gone when the test is. */
public final class App implements AutoCloseable {

    /** Long enough that only a server that never does it fails. */
    public static final int PATIENCE_S = 30;

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final ServletWebServerApplicationContext application;

    private App(ServletWebServerApplicationContext application) {
        this.application = application;
    }

    public static App start(String... options) {
        return new App(Application.start(
                Stream.concat(Stream.of("--port=0"), Stream.of(options)).toArray(String[]::new)));
    }

    /** An empty database in memory, which ends with the pool of connections to it. */
    public static String h2(String name) {
        return "--spring.datasource.url=jdbc:h2:mem:" + name;
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    /** The status of an answer that is not here yet. */
    public Future<Integer> statusLater(String path) {
        return CLIENT.sendAsync(request(path).build(), BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
    }

    public HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).header("Content-Type", "application/json");
        return CLIENT.send(request.POST(BodyPublishers.ofString(json)).build(), BodyHandlers.ofString());
    }

    public Connector connector() {
        return ((TomcatWebServer) application.getWebServer()).getTomcat().getConnector();
    }

    public static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_S * 1_000_000_000L;
        while (!condition.call()) {
            assertTrue(System.nanoTime() - deadline <= 0, () -> "waited in vain until " + what);
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        application.close();
    }

    private HttpRequest.Builder request(String path) {
        int port = application.getWebServer().getPort();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }
}
