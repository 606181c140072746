package artifact.primitives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Both servers over real connections: kept and closed, with a task beside the answer and with a timer. */
class RequestsTest {

    @Test
    void oneThreadKeepsAConnectionUntilItIsToClose() throws IOException {
        try (ServerSocket listener = HttpPage.listen(new ServerSocket(), 0)) {
            Thread.ofPlatform().daemon().start(() -> new RequestOnOneThread().serve(listener));
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
    void aTimedAnswerWaitsAndDelaysNoOther() throws IOException {
        try (ServerSocketChannel listener = startSelector();
                Socket timed = connect(listener.socket().getLocalPort());
                Socket other = connect(listener.socket().getLocalPort())) {
            long asked = System.nanoTime();
            send(timed, "/?sleep_ms=200", "close");
            assertEquals(42, answer(other, "/", "close"));
            assertEquals(42, body(timed));
            assertTrue(System.nanoTime() - asked >= 200_000_000);
        }
    }

    @Test
    void aTaskBesideTheAnswerHasAThreadOfItsKindAndDelaysNoAnswer() throws IOException {
        try (ServerSocket listener = HttpPage.listen(new ServerSocket(), 0)) {
            Thread.ofPlatform().daemon().start(() -> new RequestOnOneThread().serve(listener));
            for (String kind : new String[] {"platform-thread", "pool", "virtual-thread"}) {
                Set<Long> before = threads();
                try (Socket client = connect(listener.getLocalPort())) {
                    assertEquals(42, answer(client, "/?beside=" + kind + "&sleep_ms=2000", "close"));
                }
                Set<Long> started = threads();
                started.removeAll(before);
                // A virtual thread is none of the kernel's; its carriers and timer are there from the first on.
                assertTrue(kind.equals("virtual-thread") || !started.isEmpty(), kind);
            }
        }
    }

    private static Set<Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::threadId)
                .collect(Collectors.toCollection(ConcurrentHashMap::newKeySet));
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
        return new Socket("127.0.0.1", port);
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
            received.append((char) client.getInputStream().read());
        }
        return received.length() - received.indexOf("\r\n\r\n") - 4;
    }
}
