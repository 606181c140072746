package artifact.spring.work;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import artifact.stacks.common.Options;
import java.io.File;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of thread and of lock does the same work, and answers with the same bytes. */
class WorkTest {

    private static App platform;
    private static App virtual;

    @BeforeAll
    static void start() {
        platform = App.start("--lock=synchronized");
        virtual = App.start("--lock=reentrant", "--virtual=true");
    }

    @AfterAll
    static void stop() {
        platform.close();
        virtual.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ping",
                "/api/sleep-test?sleep_ms=1",
                "/api/cpu-test?cpu_us=10",
                "/api/long-test?cpu_us=10",
                "/api/file-test",
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
    @CsvSource({"/api/sleep-test, 100", "/api/sleep-test?sleep_ms=150, 150", "/api/lock-test, 20", "/api/cpu-test, 2", "/api/long-test, 50", "/api/work-test, 20"})
    void takesAtLeastItsTime(String path, long atLeastMs) throws Exception {
        for (App app : new App[] {platform, virtual}) {
            long start = System.nanoTime();
            assertEquals(200, app.get(path).statusCode());
            assertTrue(System.nanoTime() - start >= atLeastMs * 1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/sleep-test?sleep_ms=200",
                "/api/cpu-test?cpu_us=200000",
                "/api/work-test?sleep_ms=100&cpu_us=100000",
                "/api/lock-test?sleep_ms=200"
            })
    void takesLongerInAPositiveControl(String path) throws Exception {
        for (String lock : new String[] {"synchronized", "reentrant"}) {
            try (App control = App.start("--control-percent=50", "--virtual=true", "--lock=" + lock)) {
                long start = System.nanoTime();
                assertEquals("OK", control.get(path).body());
                assertTrue(System.nanoTime() - start >= 300_000_000);
            }
        }
    }

    @Test
    void usesMoreCpuTimeInAPositiveControl() {
        String[] arguments = {"--control-percent=5"};
        Work control = new Work(Options.parse(arguments, Map.of("control-percent", "0"), Map.of()));
        CpuClock clock = CpuClock.ofCurrentThread();
        long start = clock.usedNs();
        control.burn(100_000);
        assertTrue(clock.usedNs() - start >= 105_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/sleep-test, sleep_ms, -1",
        "/api/sleep-test, sleep_ms, 60001",
        "/api/cpu-test, cpu_us, 10000001",
        "/api/long-test, cpu_us, 10000001",
        "/api/work-test, cpu_us, 10000001",
        "/api/work-test, sleep_ms, 60001",
        "/api/lock-test, sleep_ms, -1",
        "/api/lock-test, sleep_ms, long"
    })
    void refusesAParameterAndNamesIt(String path, String parameter, String value) throws Exception {
        for (App app : new App[] {platform, virtual}) {
            HttpResponse<String> refusal = app.get(path + "?" + parameter + "=" + value);
            assertEquals(400, refusal.statusCode());
            assertTrue(refusal.body().contains(parameter), refusal.body());
            assertTrue(refusal.body().contains(value), refusal.body());
        }
    }

    @Test
    void leavesNoFile() throws Exception {
        File[] before = filesOfTest();
        for (App app : new App[] {platform, virtual}) {
            assertEquals("OK", app.get("/api/file-test").body());
        }
        assertArrayEquals(before, filesOfTest());
    }

    private static File[] filesOfTest() {
        return new File(System.getProperty("java.io.tmpdir")).listFiles((folder, name) -> name.startsWith("file-test-"));
    }

    @Test
    void waitsInSynchronizedForALockThatAnotherRequestHolds() throws Exception {
        try (App shared = App.start("--lock=shared", "--virtual=true")) {
            long start = System.nanoTime();
            List<CompletableFuture<HttpResponse<String>>> answers =
                    Stream.generate(() -> shared.getLater("/api/lock-test?sleep_ms=50")).limit(4).toList();
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertEquals("OK", answer.get(App.PATIENCE_S, TimeUnit.SECONDS).body());
            }
            // Two of them held the lock, one after the other.
            assertTrue(System.nanoTime() - start >= 100_000_000);
        }
    }

    @Test
    void refusesToSleepTooLongWhateverIsHeld() throws Exception {
        try (App app = App.start("--lock=shared", "--virtual=true")) {
            assertEquals(400, app.get("/api/lock-test?sleep_ms=60001").statusCode());
            assertEquals("OK", app.get("/api/lock-test?sleep_ms=1").body());
        }
    }

    @Test
    void hasNoLockTestWithoutAKindOfLock() throws Exception {
        try (App without = App.start()) {
            assertEquals(404, without.get("/api/lock-test").statusCode());
        }
    }
}
