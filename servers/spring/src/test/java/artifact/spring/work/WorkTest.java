package artifact.spring.work;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.spring.App;
import artifact.stacks.common.Options;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of thread and of lock does the same work, and answers with the same bytes. */
class WorkTest {

    @AutoClose
    private static final App platform = App.start("--lock=synchronized");

    @AutoClose
    private static final App virtual = App.start("--lock=reentrant", "--virtual=true");

    @AutoClose
    private static final App control = App.start("--lock=synchronized", "--virtual=true", "--control-percent=50");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ping",
                "/api/sleep-test?sleep_ms=1",
                "/api/cpu-test?cpu_us=10",
                "/api/long-test?cpu_us=10",
                "/api/work-test?sleep_ms=1&cpu_us=10",
                "/api/lock-test?sleep_ms=1"
            })
    void answersOkInTwoBytes(String path) throws Exception {
        HttpResponse<String> answer = platform.get(path);
        assertEquals(200, answer.statusCode());
        assertEquals("OK", answer.body());
        assertEquals("2", answer.headers().firstValue("Content-Length").orElseThrow());
        assertEquals("text/plain;charset=UTF-8", answer.headers().firstValue("Content-Type").orElseThrow());

        HttpResponse<String> other = virtual.get(path);
        assertEquals(answer.body(), other.body());
        assertEquals(answer.headers().map().keySet(), other.headers().map().keySet());
    }

    @ParameterizedTest
    @CsvSource({"sleep-test, 100", "lock-test, 20", "cpu-test, 2", "long-test, 50", "work-test, 20"})
    void takesAtLeastItsTime(String page, long atLeastMs) throws Exception {
        for (App app : List.of(platform, virtual)) {
            long start = System.nanoTime();
            assertEquals(200, app.get("/api/" + page).statusCode());
            assertTrue(System.nanoTime() - start >= atLeastMs * 1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sleep-test?sleep_ms=200", "work-test?sleep_ms=100&cpu_us=100000", "lock-test?sleep_ms=200"})
    void takesLongerInAPositiveControl(String page) throws Exception {
        long start = System.nanoTime();
        assertEquals("OK", control.get("/api/" + page).body());
        assertTrue(System.nanoTime() - start >= 300_000_000);
    }

    @Test
    void usesMoreCpuTimeInAPositiveControl() {
        Work control = new Work(Options.parse(new String[0], Map.of("control-percent", "5"), Map.of()));
        CpuClock clock = CpuClock.ofCurrentThread();
        long start = clock.usedNs();
        control.burn(100_000);
        assertTrue(clock.usedNs() - start >= 105_000_000);
    }

    @ParameterizedTest
    @CsvSource({"cpu-test, cpu_us, 10000001", "lock-test, sleep_ms, -1"})
    void refusesAParameterAndNamesIt(String page, String parameter, String value) throws Exception {
        HttpResponse<String> refusal = virtual.get("/api/" + page + "?" + parameter + "=" + value);
        assertEquals(400, refusal.statusCode());
        assertTrue(refusal.body().contains(parameter) && refusal.body().contains(value), refusal.body());
    }

    @Test
    void waitsInSynchronizedForALockThatAnotherRequestHolds() throws Exception {
        try (App shared = App.start("--lock=shared", "--virtual=true")) {
            long start = System.nanoTime();
            for (var status : Stream.generate(() -> shared.statusLater("/api/lock-test?sleep_ms=50")).limit(4).toList()) {
                assertEquals(200, status.get(App.PATIENCE_S, TimeUnit.SECONDS));
            }
            // Two of them held the lock, one after the other.
            assertTrue(System.nanoTime() - start >= 100_000_000);
            // One that would hold it and one that would wait are refused alike.
            for (int i = 0; i < 2; i++) {
                assertEquals(400, shared.get("/api/lock-test?sleep_ms=60001").statusCode());
            }
        }
    }

    @Test
    void endsThoughARequestIsInFlight() throws Exception {
        App app = App.start("--log=off");
        Future<Integer> unanswered = app.statusLater("/api/sleep-test?sleep_ms=60000");
        App.await("it is in flight", () -> Thread.getAllStackTraces().values().stream()
                .anyMatch(stack -> Stream.of(stack).anyMatch(frame -> frame.getClassName().endsWith(".TimeController"))));
        assertTimeout(Duration.ofSeconds(20), app::close, "Spring waits for 30 s by default");
        assertThrows(ExecutionException.class, unanswered::get);
    }
}
