package artifact.sockets.server;

import module java.base;

/** Tasks of an event loop for later; used by the loop's own thread only. */
final class Timers {

    private record Timer(long dueNs, Runnable action) {}

    /** By difference: the nanosecond clock may wrap around. */
    private static final Comparator<Timer> EARLIEST_FIRST = (a, b) -> Long.signum(a.dueNs - b.dueNs);

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(EARLIEST_FIRST);

    void after(long delayMs, Runnable action) {
        timers.add(new Timer(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs), action));
    }

    void runDue() {
        long now = System.nanoTime();
        while (!timers.isEmpty() && timers.peek().dueNs - now <= 0) {
            timers.poll().action.run();
        }
    }

    /** Milliseconds until the next one is due, rounded up so that none runs early; 1 at the least. */
    long untilNextMs() {
        long ns = timers.isEmpty() ? 0 : timers.peek().dueNs - System.nanoTime();
        return Math.max(1, (ns + 999_999) / 1_000_000);
    }
}
