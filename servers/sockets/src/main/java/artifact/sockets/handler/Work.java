package artifact.sockets.handler;

/**
 * The work of a request: first CPU time, then a wait in which nothing is done, as if a remote
 * were called.
 */
public record Work(long cpuUs, long sleepMs) {

    public static final long MAX_CPU_US = 10_000_000;
    public static final long MAX_SLEEP_MS = 60_000;
    public static final Work NONE = new Work(0, 0);

    /** Keeps the calling thread on a CPU until that thread has used {@code cpuUs} of CPU time. */
    public void burnCpu() {
        if (cpuUs == 0) {
            return;
        }
        long end = CpuClock.currentThreadNs() + cpuUs * 1000;
        while (CpuClock.currentThreadNs() < end) {
            Thread.onSpinWait();
        }
    }

    public void sleep() throws InterruptedException {
        if (sleepMs > 0) {
            Thread.sleep(sleepMs);
        }
    }
}
