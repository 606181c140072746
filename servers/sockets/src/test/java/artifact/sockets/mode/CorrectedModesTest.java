package artifact.sockets.mode;

import static artifact.sockets.mode.Client.PAGE;
import static artifact.sockets.mode.Client.get;
import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.sockets.handler.Routes;
import artifact.sockets.mode.Client.Reply;
import artifact.sockets.server.Mode;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.*;
import org.junit.jupiter.params.provider.MethodSource;

/** Every corrected mode keeps the contract with its clients, each as a process of its own. */
@ParameterizedClass
@MethodSource("modes")
class CorrectedModesTest {

    private static ServerProcess server;

    @Parameter
    private Class<?> mode;

    private Client client;

    /** Every mode of the package but those as published, so that a new one is tested without being named here. */
    static List<Class<?>> modes() throws IOException {
        Path classes = ServerProcess.origin(ThreadPerRequest.class).resolve("artifact/sockets/mode");
        try (Stream<Path> files = Files.list(classes)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.endsWith("AsPublished.class"))
                    .<Class<?>>map(name -> named("artifact.sockets.mode." + name.replace(".class", "")))
                    .filter(Mode.class::isAssignableFrom)
                    .toList();
        }
    }

    private static Class<?> named(String name) {
        return assertDoesNotThrow(() -> Class.forName(name));
    }

    @BeforeParameterizedClassInvocation
    static void start(Class<?> mode) throws IOException {
        server = ServerProcess.start(mode);
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        server.close();
    }

    @BeforeEach
    void connect() throws IOException {
        client = server.connect();
    }

    @AfterEach
    void disconnect() throws IOException {
        server.disconnect();
    }

    @Test
    void answersThePageToTheByte() throws IOException {
        Reply reply = client.ask(PAGE);
        assertEquals(200, reply.status());
        assertEquals(42, reply.body().length);
        assertArrayEquals(Routes.BODY, reply.body());
        var fields = Map.of(
                "content-type", "text/html;charset=utf-8", "content-length", "42", "connection", "keep-alive");
        assertEquals(fields, reply.fields());
    }

    @Test
    void keepsTheConnectionUntilTheClientAsksForItsEnd() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertEquals("keep-alive", client.ask(PAGE).connection());
        }
        String last = PAGE.replace("Host", "Connection: close\r\nHost");
        assertEquals("close", client.ask(last).connection());
        assertTrue(client.isAtEnd());
    }

    @Test
    void answersPipelinedRequestsInTheirOrder() throws IOException {
        String post = "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nGET / HTTP";
        client.send((get("/work?sleep_ms=30") + get("/nowhere") + post + get("/work?sleep_ms=x") + PAGE).repeat(20));
        for (int i = 0; i < 20; i++) {
            for (int status : new int[] {200, 404, 404, 400, 200}) {
                assertEquals(status, client.reply().status());
            }
        }
        assertEquals(200, client.ask(PAGE).status());
    }

    @Test
    void answersAClientThatHasSaidAllItWillSay() throws IOException {
        client.send(get("/work?sleep_ms=50") + PAGE).endRequests();
        assertEquals(200, client.reply().status());
        assertEquals(200, client.reply().status());
        assertTrue(client.isAtEnd());
    }

    @Test
    void answersHeadWithTheHeadAlone() throws IOException {
        client.send(PAGE.replace("GET", "HEAD") + PAGE);
        assertEquals("42", client.reply(false).fields().get("content-length"));
        assertArrayEquals(Routes.BODY, client.reply().body());
    }

    /** A megabyte the server never reads follows: a careless close would take the answer away by a reset. */
    @Test
    void refusesWhatItCannotReadAndCloses() throws IOException {
        Reply refusal = client.ask("nonsense\r\n\r\n" + "x".repeat(1_000_000));
        assertEquals(400, refusal.status());
        assertEquals("close", refusal.connection());
        client.endRequests();
        assertTrue(client.isAtEnd());
    }

    @Test
    void neverAnswersBeforeItHasComputedAndSlept() throws IOException {
        long start = System.nanoTime();
        assertArrayEquals(Routes.BODY, client.ask(get("/work?sleep_ms=100&cpu_us=50000")).body());
        assertTrue(System.nanoTime() - start >= 150_000_000);
    }

    @Test
    void outlivesClientsThatGoAway() throws IOException {
        for (int i = 0; i < 200; i++) {
            server.connect().send(PAGE.substring(0, i % PAGE.length())).close();
        }
        server.disconnect();
        server.assertServes();
    }

    @Test
    void givesUpOnClientsThatAreTooSlow() throws IOException {
        try (ServerProcess impatient = ServerProcess.start(mode, "--read-timeout-ms=300")) {
            Client silent = impatient.connect();
            Client slow = impatient.connect();
            Client idle = impatient.connect();
            slow.send(PAGE.substring(0, 20));
            assertEquals(200, idle.ask(PAGE).status());
            assertTrue(slow.isAtEnd());
            assertTrue(silent.isAtEnd());
            assertTrue(idle.isAtEnd());
        }
    }

    @Test
    void finishesWhatIsInFlightAndSoonEndsWhenItIsStopped() throws Exception {
        try (ServerProcess stopping = ServerProcess.start(mode)) {
            Client idle = stopping.connect();
            Client busy = stopping.connect();
            idle.ask(PAGE);
            // In one piece: once the first answer is here, the server has the second request too.
            busy.ask(PAGE + get("/work?sleep_ms=500"));
            stopping.connect().ask(PAGE + get("/work?sleep_ms=60000"));
            stopping.terminate();
            assertTrue(idle.isAtEnd());
            Reply last = busy.reply();
            assertArrayEquals(Routes.BODY, last.body());
            assertEquals("close", last.connection());
            assertEquals(0, stopping.exitStatus());
            assertThrows(ConnectException.class, stopping::connect);
        }
    }

    /** The kernel completes connections that the process has no descriptor left for. */
    @Test
    void goesOnAfterRunningOutOfDescriptors() throws Exception {
        try (ServerProcess poor = ServerProcess.startLimited("-n 50", mode)) {
            // Classes come from files in a test, from the open jar in a measurement: load them while files can be had.
            poor.assertServes();
            poor.disconnect();
            poor.connect(60);
            ServerProcess.await("descriptors run out", () -> poor.errors().contains("cannot accept, trying again"));
            poor.disconnect();
            poor.assertServes();
        }
    }
}
