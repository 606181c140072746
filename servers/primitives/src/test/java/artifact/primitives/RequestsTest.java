package artifact.primitives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Both servers over real connections: kept alive and closed, with a task next to the answer and with a timer. */
class RequestsTest {

    @Test
    void oneThreadKeepsAConnectionUntilItIsToClose() throws IOException {
        try (ServerSocket listener = startOneThread()) {
            assertServes(listener.getLocalPort());
        }
    }

    @Test
    void selectorKeepsAConnectionUntilItIsToClose() throws IOException {
        try (ServerSocketChannel listener = startSelector()) {
            assertServes(listener.socket().getLocalPort());
        }
    }

    @Test
    void anAnswerThatWaitsDelaysNoOther() throws IOException {
        try (ServerSocketChannel listener = startSelector()) {
            assertWaitsAlone(listener.socket().getLocalPort(), "/?sleep_ms=500");
        }
        try (ServerSocket listener = startOneThread()) {
            for (String kind : new String[] {"platform-thread", "pool", "virtual-thread"}) {
                assertWaitsAlone(listener.getLocalPort(), "/?beside=" + kind + "&sleep_ms=500");
            }
        }
    }

    private static void assertWaitsAlone(int port, String path) throws IOException {
        try (Socket timed = connect(port);
                Socket other = connect(port)) {
            long asked = System.nanoTime();
            send(timed, path, "close");
            assertEquals(42, answer(other, "/", "close"));
            assertEquals(0, timed.getInputStream().available(), path);
            assertEquals(42, body(timed));
            assertTrue(System.nanoTime() - asked >= 500_000_000, path);
        }
    }

    @Test
    void aTaskIsHandedOverBesideTheAnswer() throws IOException {
        try (ServerSocket listener = startOneThread()) {
            for (String kind : new String[] {"platform-thread", "pool", "virtual-thread"}) {
                long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
                try (Socket client = connect(listener.getLocalPort())) {
                    assertEquals(42, answer(client, "/?beside=" + kind, "close"));
                }
                // A virtual thread is none of the kernel's.
                boolean started = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() > before;
                assertTrue(kind.equals("virtual-thread") || started, kind);
            }
        }
    }

    @Test
    void callsTheRemoteByEachClient() throws IOException, InterruptedException {
        Semaphore called = new Semaphore(0);
        HttpServer remote = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        remote.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
            called.release();
        });
        remote.start();
        System.setProperty("remote.url", "http://127.0.0.1:" + remote.getAddress().getPort() + "/");
        try (ServerSocket listener = startOneThread()) {
            for (String kind : new String[] {"platform-thread", "event-loop"}) {
                try (Socket client = connect(listener.getLocalPort())) {
                    assertEquals(42, answer(client, "/?beside=" + kind + "-call", "close"));
                }
                assertTrue(called.tryAcquire(10, TimeUnit.SECONDS), kind);
            }
        } finally {
            remote.stop(0);
        }
    }

    private static ServerSocket startOneThread() throws IOException {
        ServerSocket listener = HttpPage.listen(new ServerSocket(), 0);
        Thread.ofPlatform().daemon().start(() -> new RequestOnOneThread().serve(listener));
        return listener;
    }

    private static ServerSocketChannel startSelector() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        HttpPage.listen(listener.socket(), 0);
        Thread.ofPlatform().daemon().start(() -> {
            try {
                new RequestThroughSelector(listener).serve();
            } catch (IOException lost) {
                throw new UncheckedIOException(lost);
            }
        });
        return listener;
    }

    private static void assertServes(int port) throws IOException {
        try (Socket client = connect(port)) {
            assertEquals(42, answer(client, "/", "keep-alive"));
            assertEquals(42, answer(client, "/", "close"));
            assertEquals(-1, client.getInputStream().read());
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket client = new Socket("127.0.0.1", port);
        // A server that lost its thread fails the test instead of holding it.
        client.setSoTimeout(30_000);
        return client;
    }

    private static int answer(Socket client, String path, String connection) throws IOException {
        send(client, path, connection);
        return body(client);
    }

    private static void send(Socket client, String path, String connection) throws IOException {
        String request = "GET " + path + " HTTP/1.1\r\nHost: here\r\nConnection: " + connection + "\r\n\r\n";
        client.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The length of the answer's body. */
    private static int body(Socket client) throws IOException {
        StringBuilder received = new StringBuilder();
        while (!received.toString().contains("\r\n\r\n" + "-".repeat(42))) {
            int next = client.getInputStream().read();
            assertTrue(next >= 0, "closed before its answer");
            received.append((char) next);
        }
        return received.length() - received.indexOf("\r\n\r\n") - 4;
    }
}
