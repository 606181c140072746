package artifact.memory;

import module java.base;
import module java.management;

/**
 * The memory that waiting threads hold, by kind and number. To be run once a JVM, with native memory tracking
 * (summary) and a heap that is touched beforehand, or the heap's pages would count as the threads'.
 *
 * <p>Prints what grew, in bytes: resident memory, what native memory tracking has under Thread (reserved,
 * committed), and the live heap, which is where the stacks of virtual threads are.
 */
public final class ThreadMemory {

    /** Frames below a wait in a request: a server's, a framework's and a client's, a few dozen. */
    private static final int DEPTH = 50;

    private static final int WARM_UP_THREADS = 1000;
    private static final Runnable REQUEST = () -> descend(DEPTH);

    /** From now on threads wait for ever. */
    private static volatile boolean warm;

    public static void main(String[] args) throws Exception {
        // The end of main ends the JVM: virtual threads are daemons too.
        Thread.Builder builder =
                switch (args[0]) {
                    case "platform" -> Thread.ofPlatform().daemon();
                    case "virtual" -> Thread.ofVirtual();
                    default -> throw new IllegalArgumentException("platform or virtual, not " + args[0]);
                };
        int count = Integer.parseInt(args[1]);
        warmUp(builder);
        List<Long> before = memory();
        Thread[] threads = hold(builder, count);
        List<Long> after = memory();
        System.out.print(args[0] + "," + count);
        for (int i = 0; i < after.size(); i++) {
            System.out.print("," + (after.get(i) - before.get(i)));
        }
        System.out.println();
        // A virtual thread without references may be collected while it waits.
        Reference.reachabilityFence(threads);
    }

    /**
     * The code of a thread is compiled, as in a server that has been at it for a while: interpreted code
     * touches 20 pages of stack ahead of itself. Nor is what the first thread and the first look bring
     * with them, carriers and classes, the price of one more.
     */
    private static void warmUp(Thread.Builder builder) throws Exception {
        for (int i = 0; i < WARM_UP_THREADS; i++) {
            Thread thread = builder.start(REQUEST);
            LockSupport.unpark(thread);
            thread.join();
        }
        warm = true;
        hold(builder, 1);
        memory();
    }

    /** Starts threads and returns when all of them wait; they do so for ever. */
    private static Thread[] hold(Thread.Builder builder, int count) throws InterruptedException {
        Thread[] threads = new Thread[count];
        Arrays.setAll(threads, i -> builder.start(REQUEST));
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        return threads;
    }

    private static void descend(int depth) {
        if (depth > 0) {
            descend(depth - 1);
            return;
        }
        do {
            LockSupport.park();
        } while (warm);
    }

    /** Bytes after a full collection: resident, reserved and committed for threads, heap. */
    private static List<Long> memory() throws Exception {
        System.gc();
        long heapBytes = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        MatchResult resident = find("Rss:\\s+(\\d+) kB", Files.readString(Path.of("/proc/self/smaps_rollup")));
        // The output of jcmd VM.native_memory summary, from within the JVM.
        String summary = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmNativeMemory",
                        new Object[] {new String[] {"summary", "scale=b"}},
                        new String[] {String[].class.getName()});
        MatchResult thread = find("Thread \\(reserved=(\\d+), committed=(\\d+)\\)", summary);
        return List.of(
                1024 * Long.parseLong(resident.group(1)),
                Long.parseLong(thread.group(1)),
                Long.parseLong(thread.group(2)),
                heapBytes);
    }

    private static MatchResult find(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().findFirst().orElseThrow(() ->
                new IllegalStateException("not found: " + pattern + " in: " + text));
    }
}
