package artifact.sockets.mode;

import static artifact.sockets.mode.Client.PAGE;
import static artifact.sockets.mode.Client.get;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.sockets.handler.Routes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The traps of the published programs are there, because they are what is measured. */
class AsPublishedTest {

    private static final int POOL_AND_QUEUE = 120;

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void answers122BytesWithoutSayingThatItCloses(Class<?> mode) throws IOException {
        try (ServerProcess server = ServerProcess.start(mode);
                Client client = server.connect()) {
            byte[] answer = client.send(PAGE).everything();
            assertEquals(122, answer.length);
            assertArrayEquals(published(), answer);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void worksAsTheCorrectedModesDo(Class<?> mode) throws IOException {
        try (ServerProcess server = ServerProcess.start(mode);
                Client client = server.connect()) {
            long start = System.nanoTime();
            assertArrayEquals(published(), client.send(get("/work?sleep_ms=100&cpu_us=1000")).everything());
            assertTrue(System.nanoTime() - start >= 101_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void namesItsThreadsForTelemetry(Class<?> mode) throws Exception {
        try (ServerProcess server = ServerProcess.start(mode);
                Client first = server.connect();
                Client second = server.connect()) {
            ServerProcess.await("both have a thread", () -> server.handlerThreads() == 2);
        }
    }

    @Test
    void fixedPoolsListenerDiesAtTheFirstRejection() throws Exception {
        try (ServerProcess server = ServerProcess.start(FixedPoolAsPublished.class)) {
            List<Client> held = new ArrayList<>();
            for (int i = 0; i < POOL_AND_QUEUE; i++) {
                held.add(server.connect());
            }
            ServerProcess.await("the pool has grown", () -> server.handlerThreads() == 20);
            try (Client rejected = server.connect()) {
                ServerProcess.await("no server listens", () -> !connects(server, new ArrayList<>()));
                assertTrue(server.isAlive(), "the pool still holds requests");
                for (Client client : held) {
                    assertArrayEquals(published(), client.send(PAGE).everything());
                }
                assertEquals(1, server.exitStatus());
                assertTrue(server.errors().contains("RejectedExecutionException"));
                assertTrue(endsUnanswered(rejected));
            }
        }
    }

    @Test
    void threadPerRequestsListenerDiesWhenAThreadCannotBeStarted() throws Exception {
        try (ServerProcess server = ThreadsTest.startWithFewThreads(ThreadPerRequestAsPublished.class)) {
            List<Client> held = new ArrayList<>();
            ServerProcess.await("no server listens", () -> !connects(server, held));
            assertTrue(server.errors().contains("OutOfMemoryError"));
        }
    }

    private static byte[] published() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write("HTTP/1.1 200 OK\r\nContent-Length: 42\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
        bytes.write(Routes.BODY);
        return bytes.toByteArray();
    }

    /** Adds one more connection to those that are held; false when there is no listener for it. */
    private static boolean connects(ServerProcess server, List<Client> held) {
        try {
            return held.add(server.connect());
        } catch (ConnectException refused) {
            return false;
        } catch (IOException failure) {
            if (isReset(failure)) {
                return false;
            }
            throw new AssertionError(failure);
        }
    }

    /** The end of a connection that is in the backlog when its listener closes. */
    private static boolean isReset(IOException failure) {
        return failure instanceof SocketException
                && String.valueOf(failure.getMessage()).startsWith("Connection reset");
    }

    private static boolean endsUnanswered(Client client) throws IOException {
        try {
            return client.isAtEnd();
        } catch (SocketException reset) {
            return true;
        }
    }
}
