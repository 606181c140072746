package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.*;

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
}
