package artifact.sockets.server;

import module java.base;

/** The connections that are open, so that a stop can let each finish what it has begun. */
final class Connections {

    private static final int POLL_MS = 5;

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();

    Connection add(Connection connection) {
        open.add(connection);
        return connection;
    }

    void remove(Connection connection) {
        open.remove(connection);
    }

    /** Ends reads that have lasted too long, as often as an event loop does, while the process lives. */
    void sweep() {
        try {
            while (true) {
                Thread.sleep(Loop.SWEEP_MS);
                long now = System.nanoTime();
                open.forEach(connection -> connection.expire(now));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes idle connections now and the others after their answer; waits {@link ServerOptions#STOP_TIMEOUT_MS} at most. */
    void stop() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ServerOptions.STOP_TIMEOUT_MS);
        open.forEach(Connection::stop);
        while (!open.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.sleep(POLL_MS);
        }
    }
}
