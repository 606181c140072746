package artifact.sockets.server;

import module java.base;
import artifact.sockets.handler.*;
import artifact.sockets.http.Status;

/** One thread accepts; what runs a connection is the mode's {@link Executor}, and nothing else differs. */
public final class BlockingServer {

    private static final Handler BUSY = request -> Answer.last(Status.SERVICE_UNAVAILABLE, "no thread is free");
    /** A server out of descriptors or memory tries again this often: others have to give some back first. */
    static final int RETRY_MS = 20;

    private final Handler routes = new Routes();
    private final Connections connections = new Connections();
    private final ServerOptions options;
    private final ServerSocket listener;
    private final Executor executor;

    private BlockingServer(ServerOptions options, ServerSocket listener, Executor executor) {
        this.options = options;
        this.listener = listener;
        this.executor = executor;
    }

    /** Listens, says so, serves each connection by {@code executor}, and returns after a stop signal. */
    public static void serve(ServerOptions options, Executor executor) throws IOException, InterruptedException {
        StopSignal stop = new StopSignal();
        BlockingServer server = new BlockingServer(options, options.listen.listen(options.backlog), executor);
        Thread.ofPlatform().name("acceptor").start(server::acceptAll);
        Thread.ofPlatform().daemon().name("sweeper").start(server.connections::sweep);
        ListenOptions.announce(server.listener);
        stop.await();
        server.stop();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                dispatch(connections.add(
                        new Connection(listener.accept(), routes, options.readTimeoutMs, connections)));
            } catch (IOException | OutOfMemoryError exhausted) {
                pauseUnlessStopped(exhausted);
            }
        }
    }

    /** A connection that no thread takes must cost the acceptor neither its time nor its life. */
    private void dispatch(Connection connection) {
        try {
            executor.execute(connection);
        } catch (RejectedExecutionException full) {
            // The client's pace is not the acceptor's, nor may refusing take a thread from the pool.
            Thread.startVirtualThread(connection.refused(BUSY));
        } catch (OutOfMemoryError noThread) {
            // Where the kernel gives no thread, a virtual one may get no carrier: only closing is sure to work.
            connection.close();
        }
    }

    private void pauseUnlessStopped(Throwable exhausted) {
        if (listener.isClosed()) {
            return;
        }
        System.err.println("cannot accept, trying again: " + exhausted.getMessage());
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop() throws IOException, InterruptedException {
        listener.close();
        connections.stop();
    }
}
