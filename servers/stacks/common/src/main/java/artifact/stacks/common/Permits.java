package artifact.stacks.common;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Admits so many at a time; the others wait, in the order in which they came unless the permits are unfair. */
public final class Permits {

    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    private final Semaphore permits;

    /** @param permits 0 for no limit */
    public Permits(int permits) {
        this(permits, true);
    }

    /** @param fair false: one that comes may take a permit before those that wait for it have woken up */
    public Permits(int permits, boolean fair) {
        this.permits = permits == 0 ? null : new Semaphore(permits, fair);
    }

    public <T, E extends Exception> T within(Work<T, E> work) throws E {
        acquire();
        try {
            return work.run();
        } finally {
            release();
        }
    }

    public void acquire() {
        if (permits != null) {
            permits.acquireUninterruptibly();
        }
    }

    /**
     * Takes a permit if there is one within that time. Without time one that comes may overtake those that wait.
     *
     * @throws IllegalStateException if the thread is interrupted meanwhile
     */
    public boolean tryAcquire(long waitMs) {
        if (permits == null) {
            return true;
        }
        if (waitMs == 0) {
            return permits.tryAcquire();
        }
        try {
            return permits.tryAcquire(waitMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while it waited for a permit", interrupted);
        }
    }

    public void release() {
        if (permits != null) {
            permits.release();
        }
    }
}
