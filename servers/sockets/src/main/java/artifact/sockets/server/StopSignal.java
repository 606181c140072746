package artifact.sockets.server;

import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/**
 * SIGTERM and SIGINT as a request to finish: the process then ends by itself, with status 0. A
 * shutdown hook cannot do that: a JVM that a signal ends exits with 143 whatever its hooks do.
 */
final class StopSignal {

    private final CountDownLatch received = new CountDownLatch(1);

    /** From now on the signals only wake {@link #await()}. */
    StopSignal() {
        Signal.handle(new Signal("TERM"), signal -> received.countDown());
        Signal.handle(new Signal("INT"), signal -> received.countDown());
    }

    void await() throws InterruptedException {
        received.await();
    }
}
