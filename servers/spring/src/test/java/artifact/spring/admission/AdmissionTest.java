package artifact.spring.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import module java.base;
import artifact.spring.App;
import artifact.spring.remote.SlowRemote;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.NestedExceptionUtils;

/** That requests wait for permits is in RemoteClientsTest, that a body has a limit in test_stacks.py. */
class AdmissionTest {

    private static final int CLOSED = 0;

    @Test
    void aRequestThatFailsGivesItsPermitBack() throws Exception {
        try (App app = App.start("--permits=1", "--virtual=true")) {
            for (int i = 0; i < 3; i++) {
                assertEquals(400, app.get("/api/sleep-test?sleep_ms=-1").statusCode());
            }
            assertEquals(200, app.get("/ping").statusCode());
        }
    }

    @Test
    void refusesAnAsynchronousRequest() throws Exception {
        String remote = "--remote.url=http://127.0.0.1:1/";
        try (App app = App.start("--permits=1", "--client=worker-threads", remote, "--log=off")) {
            assertEquals(500, app.get("/v1/hello").statusCode());
        }
    }

    @ParameterizedTest
    @CsvSource({"answer-503, 503", "answer-503 --permit-wait-ms=100, 503", "close, " + CLOSED})
    void refusesOneMoreThanThePermits(String beyond, int status) throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = onePermit(beyond, remote)) {
            Future<Integer> admitted = admitted(app, remote);
            assertEquals(status, status(app));
            remote.answer();
            assertEquals(200, admitted.get());
            App.await("the permit is back", () -> status(app) == 200);
        }
    }

    @Test
    void aRequestWaitsForAPermitAsLongAsItMay() throws Exception {
        try (SlowRemote remote = new SlowRemote();
                App app = onePermit("answer-503 --permit-wait-ms=60000", remote)) {
            Future<Integer> admitted = admitted(app, remote);
            Future<Integer> waits = app.statusLater("/ping");
            Thread.sleep(300);
            remote.answer();
            assertEquals(200, waits.get());
            assertEquals(200, admitted.get());
        }
    }

    @Test
    void aPoolOfThreadsIsTomcatsOwn() {
        Exception refused = assertThrows(
                Exception.class, () -> App.start("--permits=1", "--beyond-permits=close", "--log=off"));
        String reason = NestedExceptionUtils.getMostSpecificCause(refused).getMessage();
        assertEquals("beyond-permits=close is for virtual=true alone", reason);
    }

    @Test
    void buffersAreAsLargeAsTheOptionSays() throws Exception {
        try (App app = App.start("--buffer-bytes=2048", "--header-bytes=2048", "--virtual=true")) {
            for (String name : List.of("socket.appReadBufSize", "socket.appWriteBufSize", "maxHttpResponseHeaderSize")) {
                assertEquals("2048", String.valueOf(app.connector().getProperty(name)), name);
            }
            assertEquals(200, app.get("/ping").statusCode());
            assertEquals(400, app.get("/ping?" + "x".repeat(3000)).statusCode());
        }
    }

    private static App onePermit(String beyond, SlowRemote remote) {
        String options = "--virtual=true --client=pooled --permits=1 --beyond-permits=" + beyond;
        return App.start((options + " " + remote.option()).split(" "));
    }

    /** A request that holds the one permit until the remote answers. */
    private static Future<Integer> admitted(App app, SlowRemote remote) throws Exception {
        Future<Integer> admitted = app.statusLater("/v1/hello");
        App.await("it has the permit", () -> remote.inFlight.get() == 1);
        return admitted;
    }

    /** Status of a request that waits for nothing; CLOSED without an answer. */
    private static int status(App app) throws InterruptedException {
        try {
            return app.get("/ping").statusCode();
        } catch (IOException closed) {
            return CLOSED;
        }
    }
}
