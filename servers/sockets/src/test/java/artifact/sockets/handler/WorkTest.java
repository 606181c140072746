package artifact.sockets.handler;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class WorkTest {

    private static final long CPU_US = 20_000;

    /** The bean is an independent clock, but one for platform threads only. */
    @Test
    void burnsCpuTimeByTheBeansClockToo() {
        var bean = ManagementFactory.getThreadMXBean();
        long before = bean.getCurrentThreadCpuTime();
        new Work(CPU_US, 0).burnCpu();
        assertTrue(bean.getCurrentThreadCpuTime() - before >= CPU_US * 1000);
    }

    @Test
    void burnsCpuTimeInAVirtualThread() throws Exception {
        FutureTask<Long> burntNs = new FutureTask<>(() -> {
            long before = CpuClock.currentThreadNs();
            new Work(CPU_US, 0).burnCpu();
            return CpuClock.currentThreadNs() - before;
        });
        Thread.startVirtualThread(burntNs);
        assertTrue(burntNs.get() >= CPU_US * 1000);
    }

    @Test
    void aSleepingThreadUsesNoCpuTime() throws InterruptedException {
        long before = CpuClock.currentThreadNs();
        long start = System.nanoTime();
        new Work(0, 200).sleep();
        long sleptNs = System.nanoTime() - start;
        assertTrue(sleptNs >= 200_000_000);
        assertTrue(CpuClock.currentThreadNs() - before < sleptNs / 2);
    }
}
