package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinningCounterTest {

    /** Sleeping in a class's initializer pins on every JDK: native code called it. */
    private static final class SleepsWhileItIsInitialised {
        static {
            PinningCounterTest.sleep();
        }

        static void initialise() {}
    }

    private static final class SleepsOnceMore {
        static {
            PinningCounterTest.sleep();
        }

        static void initialise() {}
    }

    private static void sleep() {
        try {
            Thread.sleep(30);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
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

    @Test
    void countsOnAndNothingTwice() throws Exception {
        try (PinningCounter counter = new PinningCounter()) {
            assertEquals(0L, counter.counters().get("pinned"));
            Thread.ofVirtual().start(SleepsOnceMore::initialise).join();
            Number waitedMs = counter.counters().get("pinned_ms");
            assertEquals(Map.of("pinned", 1L, "pinned_ms", waitedMs), counter.counters());
            assertEquals(Map.of("pinned", 1L, "pinned_ms", waitedMs), counter.counters());
        }
    }

    /** JEP 491, from JDK 24 on. */
    @Test
    void aSynchronizedBlockPinsNoMore() throws Exception {
        try (App app = App.start(
                "--lock=synchronized", "--count-pinned=true", "--virtual=true")) {
            app.get("/api/lock-test");
            assertEquals("{\"pinned\":0,\"pinned_ms\":0.0}", app.get("/counters").body());
        }
    }

    @Test
    void countsNothingUnlessToldTo() throws Exception {
        try (App app = App.start()) {
            assertEquals("{}", app.get("/counters").body());
        }
    }
}
