package artifact.sockets.server;

import module java.base;
import artifact.sockets.handler.Handler;

/** One thread that waits until any of its channels can go on, and takes that one a step further. */
final class Loop {

    /** How often connections are searched for one that has lasted too long: a bound on the cost, not on time. */
    static final int SWEEP_MS = 100;

    /** A step that may fail because its client has gone. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    private final Timers timers = new Timers();
    private final Set<LoopConnection> open = new HashSet<>();
    private final Queue<Runnable> handedOver = new ConcurrentLinkedQueue<>();
    private final Selector selector = Selector.open();
    private final Thread thread;
    private boolean stopping;
    private long stopDeadlineNs;

    Loop(String name) throws IOException {
        thread = Thread.ofPlatform().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Runs {@code action} in this loop's thread: at once if that is the caller, otherwise soon. */
    void execute(Runnable action) {
        if (Thread.currentThread() == thread) {
            action.run();
        } else {
            handedOver.add(action);
            selector.wakeup();
        }
    }

    /** Before the start: calls {@code acceptAll} whenever a client has connected. */
    SelectionKey listen(ServerSocketChannel listener, Runnable acceptAll) throws IOException {
        return listener.register(selector, SelectionKey.OP_ACCEPT, acceptAll);
    }

    /** From any thread: serves a non-blocking {@code channel} from now on. */
    void serve(SocketChannel channel, Handler handler, int readTimeoutMs) {
        execute(() -> add(channel, handler, readTimeoutMs));
    }

    void after(long delayMs, Runnable action) {
        timers.after(delayMs, action);
    }

    /** Takes {@code connection} a step further in {@code delayMs}, unless it is gone by then. */
    void after(long delayMs, LoopConnection connection, Step step) {
        after(delayMs, () -> {
            if (open.contains(connection)) {
                advance(connection, step);
            }
        });
    }

    void remove(LoopConnection connection) {
        open.remove(connection);
    }

    /** Ends the thread once every connection has its answer, in {@link ServerOptions#STOP_TIMEOUT_MS} at the latest. */
    void stop() {
        stopping = true;
        stopDeadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ServerOptions.STOP_TIMEOUT_MS);
        List.copyOf(open).forEach(LoopConnection::stop);
    }

    void join(long timeoutMs) throws InterruptedException {
        thread.join(timeoutMs);
    }

    private void run() {
        try (selector) {
            sweep();
            while (!isDone()) {
                turn();
            }
        } catch (IOException selectorLost) {
            throw new IllegalStateException("the event loop cannot wait for its connections", selectorLost);
        }
    }

    private boolean isDone() {
        return stopping && (open.isEmpty() || System.nanoTime() - stopDeadlineNs >= 0);
    }

    private void turn() throws IOException {
        selector.select(this::ready, timers.untilNextMs());
        timers.runDue();
        for (Runnable action = handedOver.poll(); action != null; action = handedOver.poll()) {
            action.run();
        }
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof LoopConnection connection) {
            advance(connection, connection::ready);
        } else {
            ((Runnable) key.attachment()).run();
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

    private void add(SocketChannel channel, Handler handler, int readTimeoutMs) {
        try {
            SelectionKey key = channel.register(selector, 0);
            LoopConnection connection = new LoopConnection(channel, key, this, handler, readTimeoutMs);
            key.attach(connection);
            open.add(connection);
            if (stopping) {
                connection.stop();
            }
        } catch (ClosedChannelException impossible) {
            throw new AssertionError("no other thread closes a connection", impossible);
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        List.copyOf(open).forEach(connection -> connection.expire(now));
        timers.after(SWEEP_MS, this::sweep);
    }
}
