package artifact.sockets.server;

import module java.base;
import artifact.sockets.handler.Handler;
import artifact.sockets.handler.Routes;

/**
 * Loops that serve all connections. A single loop accepts them as well; several leave that to one
 * more loop, which hands connections to them in turn, as Netty does.
 */
public final class EventLoopServer {

    private final Handler routes = new Routes();
    private final List<Loop> serving = new ArrayList<>();
    private final Loop acceptor;
    private final ServerOptions options;
    private final ServerSocketChannel listener;
    private final SelectionKey accepting;
    private int accepted;

    private EventLoopServer(ServerOptions options, int loops, ServerSocketChannel listener) throws IOException {
        this.options = options;
        this.listener = listener;
        for (int i = 0; i < loops; i++) {
            serving.add(new Loop("handler-loop-" + i));
        }
        acceptor = loops == 1 ? serving.getFirst() : new Loop("acceptor");
        accepting = acceptor.listen(listener, this::acceptAll);
    }

    /** Listens, says so, serves, and returns after a stop signal. */
    public static void serve(ServerOptions options, int loops) throws IOException, InterruptedException {
        StopSignal stop = new StopSignal();
        EventLoopServer server =
                new EventLoopServer(options, loops, options.listen.listenNonBlocking(options.backlog));
        server.loops().forEach(Loop::start);
        ListenOptions.announce(server.listener.socket());
        stop.await();
        server.stop();
    }

    private List<Loop> loops() {
        List<Loop> all = new ArrayList<>(serving);
        if (acceptor != serving.getFirst()) {
            all.add(acceptor);
        }
        return all;
    }

    private void acceptAll() {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
                next().serve(channel, routes, options.readTimeoutMs);
            }
        } catch (IOException exhausted) {
            System.err.println("cannot accept, trying again: " + exhausted.getMessage());
            // The listener stays ready while nothing can be accepted: do not spin on it.
            accepting.interestOps(0);
            acceptor.after(BlockingServer.RETRY_MS, this::acceptAgain);
        }
    }

    private Loop next() {
        return serving.get(Math.floorMod(accepted++, serving.size()));
    }

    private void acceptAgain() {
        if (accepting.isValid()) {
            accepting.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void stop() throws InterruptedException {
        acceptor.execute(this::closeListener);
        loops().forEach(loop -> loop.execute(() -> loop.stop()));
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ServerOptions.STOP_TIMEOUT_MS);
        for (Loop loop : loops()) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            loop.join(Math.max(1, leftMs));
        }
    }

    private void closeListener() {
        try {
            listener.close();
        } catch (IOException alreadyGone) {
            // Closed is what was wanted.
        }
    }
}
