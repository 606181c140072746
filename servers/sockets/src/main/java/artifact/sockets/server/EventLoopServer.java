package artifact.sockets.server;

import artifact.sockets.handler.Handler;
import artifact.sockets.handler.Routes;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One thread does everything: it waits until any connection can go on, and takes it a step further. */
public final class EventLoopServer {

    /** How often connections are searched for one that has lasted too long: a bound on the cost, not on time. */
    private static final int SWEEP_MS = 100;

    /** A step that may fail because its client has gone. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    private final Handler routes = new Routes();
    private final Timers timers = new Timers();
    private final Set<LoopConnection> open = new HashSet<>();
    private final ServerOptions options;
    private final ServerSocketChannel listener;
    private final Selector selector = Selector.open();
    private final SelectionKey accepting;
    private volatile boolean stopRequested;

    private EventLoopServer(ServerOptions options, ServerSocketChannel listener) throws IOException {
        this.options = options;
        this.listener = listener;
        this.accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Listens, says so, serves, and returns after a stop signal. */
    public static void serve(ServerOptions options) throws IOException {
        StopSignal stop = new StopSignal();
        EventLoopServer server =
                new EventLoopServer(options, options.listen.listenNonBlocking(options.backlog));
        Thread thread = Thread.ofPlatform().name("handler-loop").start(server::loop);
        ListenOptions.announce(server.listener.socket());
        stop.await();
        server.stop(thread);
    }

    /** Takes {@code connection} a step further in {@code delayMs}, unless it is gone by then. */
    void after(long delayMs, LoopConnection connection, Step step) {
        timers.after(delayMs, () -> {
            if (open.contains(connection)) {
                advance(connection, step);
            }
        });
    }

    void remove(LoopConnection connection) {
        open.remove(connection);
    }

    private void loop() {
        try {
            sweep();
            while (!stopRequested) {
                turn();
            }
            drain();
        } catch (IOException selectorLost) {
            throw new IllegalStateException("the event loop cannot wait for its connections", selectorLost);
        }
    }

    private void turn() throws IOException {
        selector.select(this::ready, timers.untilNextMs());
        timers.runDue();
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof LoopConnection connection) {
            advance(connection, connection::ready);
        } else {
            acceptAll();
        }
    }

    /** A failure, the client's or ours, ends its own connection and never the loop. */
    private void advance(LoopConnection connection, Step step) {
        try {
            step.run();
        } catch (IOException gone) {
            connection.close();
        } catch (RuntimeException | Error defect) {
            defect.printStackTrace();
            connection.close();
        }
    }

    private void acceptAll() {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                add(channel);
            }
        } catch (IOException exhausted) {
            System.err.println("cannot accept, trying again: " + exhausted.getMessage());
            // The listener stays ready while nothing can be accepted: do not spin on it.
            accepting.interestOps(0);
            timers.after(BlockingServer.RETRY_MS, this::acceptAgain);
        }
    }

    private void acceptAgain() {
        if (accepting.isValid()) {
            accepting.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void add(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
        SelectionKey key = channel.register(selector, 0);
        LoopConnection connection = new LoopConnection(channel, key, this, routes, options.readTimeoutMs);
        key.attach(connection);
        open.add(connection);
    }

    private void sweep() {
        long now = System.nanoTime();
        for (LoopConnection connection : List.copyOf(open)) {
            advance(connection, () -> connection.expire(now));
        }
        timers.after(SWEEP_MS, this::sweep);
    }

    private void drain() throws IOException {
        listener.close();
        List.copyOf(open).forEach(LoopConnection::stop);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.stopTimeoutMs);
        while (!open.isEmpty() && System.nanoTime() - deadline < 0) {
            turn();
        }
    }

    private void stop(Thread thread) {
        stopRequested = true;
        selector.wakeup();
        try {
            thread.join(options.stopTimeoutMs);
        } catch (InterruptedException alsoAskedToStop) {
            Thread.currentThread().interrupt();
        }
    }
}
