package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ThreadStatesTest {

    private static final String ROW = "[0-9]{10}\\.[0-9]{3},(jvm,[a-z-]+,[A-Z_]+|kernel,[a-z-]+,[A-Z]),[0-9]+";

    @BeforeEach
    @AfterEach
    void removeTheFile() throws IOException {
        Files.deleteIfExists(ThreadStates.FILE);
    }

    @Test
    void bothViewsSeeThePoolAsleep() throws Exception {
        try (App app = App.start(
                "--states-every-ms=5", "--threads=7", "--log=off")) {
            app.get("/watch?on=true");
            App.await("idle threads are seen by both", () ->
                    isSeen(",jvm,http-nio-exec,WAITING,7") && isSeen(",kernel,http-nio-exec,S,7"));
            app.getLater("/api/sleep-test?sleep_ms=60000");
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
            app.get("/watch?on=true");
            App.await("a carrier is seen", () -> {
                app.getLater("/api/cpu-test?cpu_us=1000");
                return isSeen(",jvm,carrier,") && isSeen(",kernel,carrier,");
            });
        }
        assertFalse(isSeen(",http-nio-exec,"));
    }

    @Test
    void writesOnlyWhileItIsOn() throws Exception {
        try (App app = App.start("--states-every-ms=5")) {
            app.get("/watch?on=true");
            App.await("it writes", () -> lines().size() > 1);
            app.get("/watch?on=false");
            int written = lines().size();
            Thread.sleep(50);
            assertEquals(written, lines().size());
            assertFalse(isSampling());

            app.get("/watch?on=true");
            App.await("it writes again", () -> lines().size() > written);
        }
        assertEquals(1, lines().stream().filter(ThreadStates.COLUMNS::equals).count());
    }

    @Test
    void isOffAtTheStart() throws Exception {
        try (App app = App.start("--states-every-ms=5")) {
            app.get("/ping");
            assertFalse(isSampling());
        }
        assertEquals(List.of(ThreadStates.COLUMNS), lines());
    }

    @Test
    void isNotThereUnlessConfigured() throws Exception {
        App.start().close();
        assertFalse(Files.exists(ThreadStates.FILE));
    }

    private static boolean isSampling() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("thread-states"));
    }

    private static boolean isSeen(String part) {
        return lines().stream().anyMatch(line -> line.contains(part));
    }

    private static List<String> lines() {
        try {
            return Files.readAllLines(ThreadStates.FILE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
