package artifact.spring.admission;

import artifact.stacks.common.Permits;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;

/**
 * Tomcat hands no more requests over to threads than there are permits. It closes the connection of
 * one more, which has no thread and has not been read.
 */
record HandOver(Executor threads, Permits permits) implements Executor {

    static TomcatConnectorCustomizer limitedTo(int permits) {
        return connector -> {
            AbstractProtocol<?> protocol = (AbstractProtocol<?>) connector.getProtocolHandler();
            // Tomcat starts a pool of its own later than this.
            Executor threads =
                    Objects.requireNonNull(protocol.getExecutor(), "beyond-permits=close is for virtual=true alone");
            protocol.setExecutor(new HandOver(threads, new Permits(permits)));
        };
    }

    @Override
    public void execute(Runnable request) {
        if (!permits.tryAcquire(0)) {
            throw new Rejected();
        }
        try {
            threads.execute(() -> serve(request));
        } catch (RuntimeException failure) {
            permits.release();
            throw failure;
        }
    }

    private void serve(Runnable request) {
        try {
            request.run();
        } finally {
            permits.release();
        }
    }

    /** Without a stack trace, which would be the costliest part of it. */
    private static final class Rejected extends RejectedExecutionException {

        private static final long serialVersionUID = 1;

        Rejected() {
            super("more requests than permits");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
