package artifact.spring.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import artifact.spring.App;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients differ in who waits, never in the answer. */
class RemoteClientsTest {

    private static final String ONE_THREAD = "--threads=1";
    private static final int REQUESTS = 5;

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled", "worker-threads", "event-loop"})
    void passesTheQuestionAndTheRemotesBytesOn(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = App.start("--client=" + client, remote.option())) {
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
                App app = App.start("--client=" + client, remote.option(), ONE_THREAD)) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("all are at the remote", () -> remote.inFlight.get() == REQUESTS);
            assertEquals(waiting, threadsCalled(threads));
            remote.answer();
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertEquals(200, answer.get().statusCode());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled"})
    void oneTomcatThreadThatBlocksHasOneRequestAtTheRemote(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = App.start("--client=" + client, remote.option(), ONE_THREAD)) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("one is at the remote", () -> remote.inFlight.get() == 1);
            remote.answer();
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertEquals(200, answer.get().statusCode());
            }
            assertEquals(1, remote.peak.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "pooled"})
    void virtualThreadsThatBlockAreAllAtTheRemote(String client) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = App.start(
                        "--client=" + client, remote.option(), ONE_THREAD,
                        "--virtual=true")) {
            List<CompletableFuture<HttpResponse<String>>> answers = ask(app);
            App.await("all are at the remote", () -> remote.inFlight.get() == REQUESTS);
            remote.answer();
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertEquals(200, answer.get().statusCode());
            }
        }
    }

    private static List<CompletableFuture<HttpResponse<String>>> ask(App app) {
        return Stream.generate(() -> app.getLater("/v1/hello")).limit(REQUESTS).toList();
    }

    private static long threadsCalled(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }
}
