package artifact.spring.work;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CPU time counts, whatever else wants the CPU; time asleep does not. */
class CpuClockTest {

    private static final long BURN_NS = 60_000_000;
    /** The process's own CPU time comes in ticks of the kernel. */
    private static final long TICK_NS = 10_000_000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void countsWhatTheThreadHasBurnt(boolean virtual) throws Exception {
        long processBefore = processCpuNs();
        FutureTask<Void> burns = new FutureTask<>(CpuClockTest::burn, null);
        (virtual ? Thread.ofVirtual() : Thread.ofPlatform()).start(burns);
        burns.get();
        assertTrue(processCpuNs() - processBefore >= BURN_NS - 2 * TICK_NS);
    }

    private static void burn() {
        CpuClock clock = CpuClock.ofCurrentThread();
        long start = clock.usedNs();
        while (clock.usedNs() < start + BURN_NS) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aPlatformThreadAsleepUsesNone() throws Exception {
        CpuClock clock = CpuClock.ofCurrentThread();
        long start = clock.usedNs();
        Thread.sleep(200);
        assertTrue(clock.usedNs() - start < 100_000_000);
    }

    private static long processCpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
