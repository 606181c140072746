package artifact.stacks.common;

import java.util.concurrent.Semaphore;

/** Lets in so many at a time; the others wait, in the order in which they came. */
public final class Permits {

    /** Work that may fail in its own way. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    private final Semaphore permits;

    /** @param permits 0 for no limit */
    public Permits(int permits) {
        this.permits = permits == 0 ? null : new Semaphore(permits, true);
    }

    public <T, E extends Exception> T within(Work<T, E> work) throws E {
        if (permits == null) {
            return work.run();
        }
        permits.acquireUninterruptibly();
        try {
            return work.run();
        } finally {
            permits.release();
        }
    }
}
