package artifact.primitives;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** TCP on loopback, both sides in this process: a figure is the client's and the server's part together. */
@State(Scope.Benchmark)
public class Loopback {

    private static final byte[] REQUEST = new byte[80];
    private static final byte[] ANSWER = new byte[164];

    private final ExecutorService servers = Executors.newCachedThreadPool();
    private ServerSocket closing;
    private ServerSocket answering;
    private Socket kept;

    @FunctionalInterface
    private interface Service {
        void serve(Socket client) throws IOException;
    }

    @Setup
    public void start() throws IOException {
        closing = listen(Socket::close);
        answering = listen(Loopback::answer);
        kept = new Socket(closing.getInetAddress(), answering.getLocalPort());
        kept.setTcpNoDelay(true);
    }

    private ServerSocket listen(Service service) throws IOException {
        ServerSocket listener = new ServerSocket(0, 128, InetAddress.ofLiteral("127.0.0.1"));
        servers.execute(() -> {
            try {
                while (true) {
                    service.serve(listener.accept());
                }
            } catch (IOException closed) {
                // The end of the benchmark.
            }
        });
        return listener;
    }

    private static void answer(Socket client) throws IOException {
        client.setTcpNoDelay(true);
        while (client.getInputStream().readNBytes(REQUEST.length).length == REQUEST.length) {
            client.getOutputStream().write(ANSWER);
        }
    }

    /** The server closes first, as a server does that closes after its answer. */
    @Benchmark
    public int connectAndAccept() throws IOException {
        try (Socket client = new Socket(closing.getInetAddress(), closing.getLocalPort())) {
            return client.getInputStream().read();
        }
    }

    /** A request and its answer, of the size that HTTP's have here, on a connection that stays open. */
    @Benchmark
    public int keptRequest() throws IOException {
        kept.getOutputStream().write(REQUEST);
        return kept.getInputStream().readNBytes(ANSWER.length).length;
    }

    @TearDown
    public void stop() throws IOException {
        kept.close();
        closing.close();
        answering.close();
        servers.shutdown();
    }
}
