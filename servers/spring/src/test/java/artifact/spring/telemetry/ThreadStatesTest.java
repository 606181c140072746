package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.spring.App;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadStatesTest {

    private static final String ROW = "[0-9]{10}\\.[0-9]{3},(jvm,[a-z-]+,[A-Z_]+|kernel,[a-z-]+,[A-Z]),[0-9]+";

    @BeforeEach
    @AfterEach
    void removeTheFile() throws IOException {
        Files.deleteIfExists(ThreadStates.FILE);
    }

    @Test
    void bothViewsSeeThePoolAsleep() throws Exception {
        try (App app = App.start("--states-every-ms=5", "--threads=7", "--log=off")) {
            watch(true, app);
            App.await("idle threads are seen by both", () ->
                    isSeen(",jvm,http-nio-exec,WAITING,7") && isSeen(",kernel,http-nio-exec,S,7"));
            app.statusLater("/api/sleep-test?sleep_ms=60000");
            App.await("one sleeps in a request", () -> isSeen(",jvm,http-nio-exec,TIMED_WAITING,1"));
        }
        List<String> lines = lines();
        assertEquals(ThreadStates.COLUMNS, lines.getFirst());
        for (String row : lines.subList(1, lines.size())) {
            assertTrue(row.matches(ROW), row);
        }
    }

    @Test
    void virtualThreadsAreSeenByTheirCarriers() throws Exception {
        try (App app = App.start("--states-every-ms=5", "--virtual=true")) {
            watch(true, app);
            App.await("a carrier is seen", () -> {
                app.statusLater("/api/cpu-test?cpu_us=1000");
                return isSeen(",jvm,carrier,") && isSeen(",kernel,carrier,");
            });
        }
        assertFalse(isSeen(",http-nio-exec,"));
    }

    @Test
    void writesOnlyWhileItIsOn() throws Exception {
        try (App app = App.start("--states-every-ms=5")) {
            assertFalse(isSampling());
            watch(true, app);
            watch(true, app);
            App.await("it writes", () -> lines().size() > 1);
            watch(false, app);
            watch(false, app);
            int written = lines().size();
            Thread.sleep(50);
            assertEquals(written, lines().size());
            assertFalse(isSampling());

            watch(true, app);
            App.await("it writes again", () -> lines().size() > written);
        }
        assertEquals(1, lines().stream().filter(ThreadStates.COLUMNS::equals).count());
    }

    @Test
    void saysThatItCanNoLongerWrite() throws Exception {
        Files.createSymbolicLink(ThreadStates.FILE, Path.of("/dev/full"));
        PrintStream stderr = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said));
        try (App app = App.start("--states-every-ms=5", "--log=off")) {
            watch(true, app);
            App.await("it says so", () -> said.toString().contains("thread states can no longer be written: "));
        } finally {
            System.setErr(stderr);
        }
    }

    @Test
    void isNotThereUnlessConfiguredAndTheSwitchAnswersAllTheSame() throws Exception {
        try (App app = App.start()) {
            watch(true, app);
            watch(false, app);
        }
        assertFalse(Files.exists(ThreadStates.FILE));
    }

    @ParameterizedTest
    @CsvSource({
        "http-nio-exec-400, http-nio-exec",
        "http-nio-Poller, http-nio-poller",
        "http-nio-Acceptor, http-nio-acceptor",
        "worker-123456789, worker",
        "reactor-http-nio-1, reactor-http",
        "ForkJoinPool-1-worker-10, carrier",
        "ForkJoinPool.commonPool-worker-1, jvm",
        "C2 CompilerThread0, jvm"
    })
    void groupsAThreadByItsNameAndByWhatTheKernelKeepsOfIt(String name, String group) {
        assertEquals(group, ThreadGroups.of(name));
        assertEquals(group, ThreadGroups.of(name.substring(0, Math.min(15, name.length()))));
    }

    private static void watch(boolean on, App app) throws Exception {
        assertEquals(on ? "on" : "off", app.get("/watch?on=" + on).body());
    }

    private static boolean isSampling() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("thread-states"));
    }

    private static boolean isSeen(String part) throws IOException {
        return lines().stream().anyMatch(line -> line.contains(part));
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(ThreadStates.FILE);
    }
}
