package artifact.spring.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients differ in who waits, never in the answer. */
class RemoteClientsTest {

    private static final String ONE_THREAD = "--threads=1";
    private static final String REACTOR = "pooled --http-client=reactor";
    private static final String JDK = "pooled --http-client=jdk";
    private static final String BOOT = "pooled --http-client=boot";
    private static final String NO_TIMEOUT = "pooled --response-timeout=false";
    private static final int REQUESTS = 5;

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled", "worker-threads", "event-loop", REACTOR, JDK})
    void passesTheQuestionAndTheRemotesBytesOn(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote)) {
            remote.answer();
            HttpResponse<byte[]> answer = app.getBytes("/v1/hello");
            assertEquals(200, answer.statusCode());
            assertArrayEquals(SlowRemote.BODY, answer.body());
            assertEquals("42", answer.headers().firstValue("Content-Length").orElseThrow());
            assertEquals(RemoteClients.TYPE, answer.headers().firstValue("Content-Type").orElseThrow());
            assertEquals("sleep_ms=1000", remote.lastQuery);
            assertEquals(200, app.get("/v1/hello?sleep_ms=0&cpu_us=5").statusCode());
            assertEquals("sleep_ms=0&cpu_us=5", remote.lastQuery);
        }
    }

    /** One Tomcat thread: behind a blocking client the requests wait in line, behind the others at the remote. */
    @ParameterizedTest
    @CsvSource({"worker-threads, worker-, 5", "event-loop, reactor-http, 1"})
    void oneTomcatThreadHasManyRequestsAtTheRemote(String client, String threads, int waiting) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, ONE_THREAD)) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("all are at the remote", () -> remote.inFlight.get() == REQUESTS);
            assertEquals(waiting, threadsCalled(threads));
            answerAll(remote, answers);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled", REACTOR, JDK, BOOT, NO_TIMEOUT})
    void oneTomcatThreadThatBlocksHasOneRequestAtTheRemote(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, ONE_THREAD)) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("one is at the remote", () -> remote.inFlight.get() == 1);
            answerAll(remote, answers);
            assertEquals(1, remote.peak.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled", REACTOR, JDK, BOOT, NO_TIMEOUT})
    void virtualThreadsThatBlockAreAllAtTheRemote(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, ONE_THREAD, "--virtual=true")) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("all are at the remote", () -> remote.inFlight.get() == REQUESTS);
            answerAll(remote, answers);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pooled", REACTOR, JDK})
    void everySharedClientHasAsManyConnectionsAsItMay(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, "--virtual=true", "--client-connections=2")) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("two are at the remote", () -> remote.inFlight.get() == 2);
            answerAll(remote, answers);
            assertEquals(2, remote.peak.get());
        }
    }

    /** Otherwise a mode on virtual threads would have platform threads for each answer that comes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientOfTheJdkHasThreadsOfTheModesKind(boolean virtual) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(JDK, remote, "--virtual=" + virtual)) {
            long before = threadsCalled("pool-");
            remote.answer();
            assertEquals(200, app.get("/v1/hello").statusCode());
            assertEquals(!virtual, threadsCalled("pool-") > before);
        }
    }

    /** Apache's client and Netty's are on this class path, for other modes. */
    @Test
    void springBootChoosesTheClientOfTheJdk() throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(BOOT, remote, "--virtual=true")) {
            remote.answer();
            assertEquals(200, app.get("/v1/hello").statusCode());
            assertTrue(remote.lastAgent.startsWith("Java-http-client/"), remote.lastAgent);
        }
    }

    @Test
    void aFixedPoolOfVirtualThreadsTakesNoMoreThanItHas() throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start("pooled", remote, "--virtual=true", "--virtual-threads=2")) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("two are at the remote", () -> remote.inFlight.get() == 2);
            answerAll(remote, answers);
            assertEquals(2, remote.peak.get());
        }
    }

    private static App start(String client, SlowRemote remote, String... more) {
        Stream<String> ofClient = Stream.concat(Stream.of(remote.option()), Stream.of(("--client=" + client).split(" ")));
        return App.start(Stream.concat(ofClient, Stream.of(more)).toArray(String[]::new));
    }

    private static List<CompletableFuture<HttpResponse<String>>> ask(App app) {
        return Stream.generate(() -> app.getLater("/v1/hello")).limit(REQUESTS).toList();
    }

    private static void answerAll(SlowRemote remote, List<CompletableFuture<HttpResponse<String>>> answers)
            throws Exception {
        remote.answer();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertEquals(200, answer.get().statusCode());
        }
    }

    private static long threadsCalled(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }
}
