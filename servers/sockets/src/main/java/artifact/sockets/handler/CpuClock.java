package artifact.sockets.handler;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The CPU time that the current thread has used, for platform and virtual threads alike.
 *
 * <p>{@link java.lang.management.ThreadMXBean#getCurrentThreadCpuTime()} refuses virtual threads, so
 * the kernel is asked directly: {@code clock_gettime(CLOCK_THREAD_CPUTIME_ID)}, which is also what the
 * bean asks for a platform thread. In a virtual thread it gives the carrier's time. That is the
 * virtual thread's own time as long as it stays mounted, and it does: it leaves its carrier only
 * where it blocks (JEP 444, no time sharing), and burning CPU never does. So the difference of two
 * readings around a burn is exact in every mode, and by the same clock, which neither wall-clock
 * time (shorter work when the CPU is contended) nor a calibrated loop (JIT and frequency) would be.
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
