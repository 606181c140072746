package artifact.spring.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import module java.base;
import artifact.spring.App;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients differ in who waits, never in the answer. How many connections each has is in test_stacks.py. */
class RemoteClientsTest {

    private static final String ONE_THREAD = "--threads=1";
    private static final String REACTOR = "pooled --http-client=reactor";
    private static final String JDK = "pooled --http-client=jdk";
    private static final String BOOT = "pooled --http-client=boot";
    private static final int REQUESTS = 5;

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled", "worker-threads", "event-loop", REACTOR, JDK})
    void passesTheQuestionAndTheRemotesBytesOn(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote)) {
            remote.answer();
            HttpResponse<String> answer = app.get("/v1/hello");
            assertEquals(200, answer.statusCode());
            assertEquals(SlowRemote.BODY, answer.body());
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
        long before = threadsCalled(threads);
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, ONE_THREAD)) {
            List<Future<Integer>> answers = askUntil(REQUESTS, remote, app);
            assertEquals(waiting, threadsCalled(threads) - before);
            answerAll(remote, answers);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled"})
    void oneThreadThatBlocksHasOneRequestAtTheRemoteUnlessItIsVirtual(String client) throws Exception {
        assertAtTheRemote(1, client, ONE_THREAD);
        assertAtTheRemote(REQUESTS, client, ONE_THREAD, "--virtual=true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pooled --virtual-threads=2", "pooled --permits=2"})
    void asManyAreAtTheRemoteAsTheOneLimitAllows(String client) throws Exception {
        assertAtTheRemote(2, client, "--virtual=true");
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

    private static App start(String client, SlowRemote remote, String... more) {
        String options = remote.option() + " --client=" + client + " " + String.join(" ", more);
        return App.start(options.strip().split(" "));
    }

    /** So many requests at a time are there, and no more. */
    private static void assertAtTheRemote(int count, String client, String... options) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = start(client, remote, options)) {
            answerAll(remote, askUntil(count, remote, app));
            assertEquals(count, remote.peak.get());
        }
    }

    private static List<Future<Integer>> askUntil(int count, SlowRemote remote, App app)
            throws Exception {
        var answers = Stream.generate(() -> app.statusLater("/v1/hello")).limit(REQUESTS).toList();
        App.await(count + " are at the remote", () -> remote.inFlight.get() == count);
        return answers;
    }

    private static void answerAll(SlowRemote remote, List<Future<Integer>> answers)
            throws Exception {
        remote.answer();
        for (Future<Integer> answer : answers) {
            assertEquals(200, answer.get());
        }
    }

    private static long threadsCalled(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }
}
