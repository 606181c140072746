package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.*;

import artifact.spring.App;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinningCounterTest {

    /** Sleeping in a class's initializer pins on every JDK: native code called it. */
    private static final class SleepsWhileItIsInitialized {
        static {
            assertDoesNotThrow(() -> Thread.sleep(30));
        }

        static void initialize() {}
    }

    @Test
    void countsAThreadThatBlocksWithoutLeavingItsCarrierOnce() throws Exception {
        try (PinningCounter counter = new PinningCounter()) {
            assertEquals(0L, counter.counters().get("pinned"));
            Thread.startVirtualThread(SleepsWhileItIsInitialized::initialize).join();
            Map<String, Number> counted = counter.counters();
            assertEquals(1L, counted.get("pinned"));
            assertTrue(counted.get("pinned_ms").doubleValue() >= 25);
            assertEquals(counted, counter.counters());
        }
    }

    /** JEP 491, from JDK 24 on. */
    @Test
    void aSynchronizedBlockPinsNoMore() throws Exception {
        try (App app = App.start("--lock=synchronized", "--count-pinned=true", "--virtual=true")) {
            app.get("/api/lock-test");
            assertEquals("{\"pinned\":0,\"pinned_ms\":0.0}", app.get("/counters").body());
        }
    }
}
