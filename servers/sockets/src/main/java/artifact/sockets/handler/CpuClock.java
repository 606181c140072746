package artifact.sockets.handler;

import module java.base;

/**
 * The CPU time that the current thread has used, for platform and virtual threads alike.
 *
 * <p>{@link java.lang.management.ThreadMXBean#getCurrentThreadCpuTime()} refuses virtual threads, so
 * this class reads the kernel's clock: {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, as the bean
 * does for a platform thread. In a virtual thread that clock gives the carrier's time, which is the
 * virtual thread's own while it stays mounted. A virtual thread leaves its carrier only where it
 * blocks (JEP 444, no time sharing), and burning CPU never blocks. The difference of two readings
 * around a burn is thus exact in every mode, and by the same clock. Wall-clock time would shorten the
 * work when the CPU is contended; a calibrated loop would depend on JIT and frequency.
 *
 * <p>Java warns once on stderr unless it is started with {@code --enable-native-access=ALL-UNNAMED}.
 */
final class CpuClock {

    /** Linux, {@code <bits/time.h>}. */
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;

    private static final MemoryLayout TIMESPEC = MemoryLayout.structLayout(
            ValueLayout.JAVA_LONG.withName("tv_sec"), ValueLayout.JAVA_LONG.withName("tv_nsec"));
    private static final MethodHandle CLOCK_GETTIME = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private CpuClock() {}

    static long currentThreadNs() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(TIMESPEC);
            int failed = (int) CLOCK_GETTIME.invokeExact(CLOCK_THREAD_CPUTIME_ID, time);
            if (failed != 0) {
                throw new IllegalStateException("clock_gettime(CLOCK_THREAD_CPUTIME_ID) failed");
            }
            return time.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000 + time.get(ValueLayout.JAVA_LONG, 8);
        } catch (Throwable failure) {
            throw new IllegalStateException("the CPU clock of this thread cannot be read", failure);
        }
    }
}
