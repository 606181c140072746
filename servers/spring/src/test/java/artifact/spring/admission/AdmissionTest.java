package artifact.spring.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import artifact.stacks.common.Permits;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** So many at a time and no more, and in the end all. */
class AdmissionTest {

    private static final int PERMITS = 3;
    private static final int CLOSED = 0;

    private final PermitsFilter permits = new PermitsFilter(new Permits(PERMITS), true, 0);
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @Test
    void oneMoreThanThePermitsWaitsOutside() throws Exception {
        List<Thread> inside = new ArrayList<>();
        for (int i = 0; i < PERMITS; i++) {
            inside.add(Thread.ofVirtual().start(this::request));
        }
        App.await("all permits are taken", () -> inFlight.get() == PERMITS);
        Thread outside = Thread.ofVirtual().start(this::request);
        App.await("it waits", () -> outside.getState() == Thread.State.WAITING);
        assertEquals(PERMITS, inFlight.get());

        mayEnd.countDown();
        for (Thread thread : inside) {
            thread.join();
        }
        outside.join();
        assertEquals(PERMITS, peak.get());
        assertEquals(PERMITS + 1, served.get());
    }

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
        try (App app = App.start(
                "--permits=1",
                "--client=worker-threads",
                "--remote.url=http://127.0.0.1:1/",
                "--log=off")) {
            assertEquals(500, app.get("/v1/hello").statusCode());
        }
    }

    @Test
    void answersOneMoreThanThePermitsWith503() throws Exception {
        try (App app = App.start("--permits=1", "--beyond-permits=answer-503", "--virtual=true")) {
            assertEquals(200, admittedBesideOneWith(503, app).get().statusCode());
            assertEquals(200, app.get("/ping").statusCode());
        }
    }

    @Test
    void aRequestWaitsForAPermitNoLongerThanItMay() throws Exception {
        try (App app = App.start("--permits=1", "--beyond-permits=answer-503", "--permit-wait-ms=100", "--virtual=true")) {
            assertEquals(200, admittedBesideOneWith(503, app).get().statusCode());
        }
        try (App app = App.start("--permits=1", "--beyond-permits=answer-503", "--permit-wait-ms=60000", "--virtual=true")) {
            CompletableFuture<HttpResponse<String>> admitted = admitted(app);
            assertEquals(200, status(app));
            assertEquals(200, admitted.get().statusCode());
        }
    }

    @Test
    void closesTheConnectionOfOneMoreThanThePermits() throws Exception {
        try (App app = App.start("--permits=1", "--beyond-permits=close", "--virtual=true")) {
            assertEquals(200, admittedBesideOneWith(CLOSED, app).get().statusCode());
            assertEquals(200, app.get("/ping").statusCode());
        }
    }

    @Test
    void aPoolOfThreadsIsTomcatsOwn() {
        Exception refused = assertThrows(
                Exception.class, () -> App.start("--permits=1", "--beyond-permits=close", "--log=off"));
        assertTrue(chain(refused).contains("beyond-permits=close is for virtual=true alone"), chain(refused));
    }

    @Test
    void refusesABodyThatIsTooLong() throws Exception {
        try (App app = App.start(App.h2("body"), "--body-bytes=100")) {
            String user = "{\"name\": \"kim\", \"email\": \"kim@mail.com\", \"password\": \"password1234\"}";
            assertEquals(413, app.post("/registration", user + " ".repeat(101 - user.length())).statusCode());
            assertEquals(201, app.post("/registration", user + " ".repeat(100 - user.length())).statusCode());
        }
    }

    /** A request that holds the one permit for two seconds. */
    private static CompletableFuture<HttpResponse<String>> admitted(App app) throws Exception {
        assertEquals(200, app.get("/ping").statusCode());
        CompletableFuture<HttpResponse<String>> found = app.getLater("/api/sleep-test?sleep_ms=2000");
        Thread.sleep(300);
        return found;
    }

    /** The request that is in flight while another gets this status; sent again where a slow machine missed its two seconds. */
    private static CompletableFuture<HttpResponse<String>> admittedBesideOneWith(int status, App app) throws Exception {
        AtomicReference<CompletableFuture<HttpResponse<String>>> admitted = new AtomicReference<>(admitted(app));
        App.await("a request gets " + status + " beside one in flight", () -> {
            boolean isRefused = status(app) == status;
            boolean isInFlight = !admitted.get().isDone();
            if (!isInFlight) {
                admitted.set(app.getLater("/api/sleep-test?sleep_ms=2000"));
            }
            return isRefused && isInFlight;
        });
        return admitted.get();
    }

    /** Status of a request that waits for nothing; CLOSED without an answer. */
    private static int status(App app) {
        try {
            return app.get("/ping").statusCode();
        } catch (IOException closed) {
            return CLOSED;
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    private static String chain(Throwable failure) {
        return failure == null ? "" : failure.getMessage() + "; " + chain(failure.getCause());
    }

    private void request() {
        try {
            permits.doFilter(null, null, (request, response) -> {
                peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                awaitEnd();
                inFlight.decrementAndGet();
                served.incrementAndGet();
            });
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private void awaitEnd() {
        try {
            mayEnd.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
