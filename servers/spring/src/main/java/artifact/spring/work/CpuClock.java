package artifact.spring.work;

import java.lang.management.*;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The CPU time that a thread has used, platform or virtual; not the wall clock's, which would make
 * the work shorter the more threads want the CPU.
 *
 * <p>A {@link ThreadMXBean} refuses virtual threads, so this class reads the carrier's time. That time
 * is the virtual thread's own while the thread stays mounted. A thread that burns CPU stays mounted: it
 * leaves its carrier only where it blocks (JEP 444). The only public name of a carrier is the end of
 * {@link Thread#toString()}. To read the kernel's clock takes the foreign function API of Java 22, and
 * this class runs on 21.
 */
final class CpuClock {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Map<String, Long> CARRIERS = new ConcurrentHashMap<>();

    private final long platformThread;

    private CpuClock(long platformThread) {
        this.platformThread = platformThread;
    }

    /** Valid until the current thread blocks. */
    static CpuClock ofCurrentThread() {
        Thread current = Thread.currentThread();
        return new CpuClock(current.isVirtual() ? carrierOf(current) : current.threadId());
    }

    long usedNs() {
        return THREADS.getThreadCpuTime(platformThread);
    }

    /** Looked up again if the thread was moved to another carrier while it looked. */
    private static long carrierOf(Thread virtual) {
        while (true) {
            String name = carrierName(virtual);
            long id = CARRIERS.computeIfAbsent(name, CpuClock::idOf);
            if (name.equals(carrierName(virtual))) {
                return id;
            }
        }
    }

    /** The last part of {@code VirtualThread[#31]/runnable@ForkJoinPool-1-worker-1}. */
    private static String carrierName(Thread virtual) {
        String text = virtual.toString();
        return text.substring(text.lastIndexOf('@') + 1);
    }

    private static long idOf(String name) {
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().equals(name)) {
                return thread.getThreadId();
            }
        }
        throw new IllegalStateException("no platform thread is called " + name);
    }
}
