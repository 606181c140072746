package artifact.tomcat.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.tomcat.App;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinningCounterTest {

    /** Pins on every JDK: a class is initialised by native code, under which no thread leaves its carrier. */
    private static final class SleepsWhileItIsInitialised {
        static {
            try {
                Thread.sleep(30);
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }

        static void initialise() {}
    }

    @Test
    void countsAThreadThatBlocksWithoutLeavingItsCarrier() throws Exception {
        try (PinningCounter counter = new PinningCounter()) {
            Thread.ofVirtual().start(SleepsWhileItIsInitialised::initialise).join();
            Map<String, Number> counted = counter.counters();
            assertEquals(1L, counted.get("pinned"));
            assertTrue(counted.get("pinned_ms").doubleValue() >= 25);
        }
    }

    /** JEP 491, from JDK 24 on. */
    @Test
    void aSynchronizedBlockPinsNoMore() throws Exception {
        try (App app = App.start(
                "--lock.kind=synchronized", "--pinning.count=true", "--spring.threads.virtual.enabled=true")) {
            app.get("/api/lock-test");
            String before = app.get("/counters").body();
            app.get("/api/lock-test");
            assertEquals(before, app.get("/counters").body());
        }
    }

    @Test
    void countsNothingUnlessToldTo() throws Exception {
        try (App app = App.start()) {
            assertEquals("{}", app.get("/counters").body());
        }
    }
}
