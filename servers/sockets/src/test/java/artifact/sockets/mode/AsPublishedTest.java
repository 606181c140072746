package artifact.sockets.mode;

import static artifact.sockets.mode.Client.PAGE;
import static artifact.sockets.mode.Client.get;
import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.sockets.handler.Routes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The traps of the published programs are there, because they are what is measured. */
class AsPublishedTest {

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void worksOnNamedThreadsAndAnswersWithoutSayingThatItCloses(Class<?> mode) throws Exception {
        try (ServerProcess server = ServerProcess.start(mode)) {
            Client first = server.connect();
            Client second = server.connect();
            ServerProcess.await("both have a thread", () -> server.handlerThreads() == 2);
            assertArrayEquals(published(), first.send(PAGE).everything());
            long start = System.nanoTime();
            assertArrayEquals(published(), second.send(get("/work?sleep_ms=100&cpu_us=1000")).everything());
            assertTrue(System.nanoTime() - start >= 101_000_000);
        }
    }

    @Test
    void fixedPoolsListenerDiesAtTheFirstRejection() throws Exception {
        try (ServerProcess server = ServerProcess.start(FixedPoolAsPublished.class)) {
            int poolAndQueue = 120;
            List<Client> held = server.connect(poolAndQueue);
            ServerProcess.await("the pool has grown", () -> server.handlerThreads() == 20);
            Client rejected = server.connect();
            ServerProcess.await("no server listens", () -> !connects(server));
            assertTrue(server.isAlive(), "the pool still holds requests");
            for (Client client : held) {
                assertArrayEquals(published(), client.send(PAGE).everything());
            }
            assertEquals(1, server.exitStatus());
            assertTrue(server.errors().contains("RejectedExecutionException"));
            assertTrue(endsUnanswered(rejected));
        }
    }

    @Test
    void threadPerRequestsListenerDiesWhenAThreadCannotBeStarted() throws Exception {
        try (ServerProcess server = ThreadsTest.startWithFewThreads(ThreadPerRequestAsPublished.class)) {
            ServerProcess.await("no server listens", () -> !connects(server));
            assertTrue(server.errors().contains("OutOfMemoryError"));
        }
    }

    private static byte[] published() {
        String head = "HTTP/1.1 200 OK\r\nContent-Length: 42\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n";
        return (head + new String(Routes.BODY, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a listener takes one more connection, which is held. */
    private static boolean connects(ServerProcess server) throws IOException {
        try {
            server.connect();
            return true;
        } catch (ConnectException refused) {
            return false;
        } catch (SocketException failure) {
            // The end of a connection that is in the backlog when its listener closes.
            assertTrue(String.valueOf(failure.getMessage()).startsWith("Connection reset"), failure::toString);
            return false;
        }
    }

    private static boolean endsUnanswered(Client client) throws IOException {
        try {
            return client.isAtEnd();
        } catch (SocketException reset) {
            return true;
        }
    }
}
