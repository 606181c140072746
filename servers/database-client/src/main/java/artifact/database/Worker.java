package artifact.database;

import module java.base;
import module java.sql;
import org.HdrHistogram.Histogram;

/**
 * One client: asks for a connection, runs a transaction, returns it, thinks, and starts over.
 *
 * <p>Counts transactions that end within the window. Read the counts once the thread has ended.
 */
final class Worker implements Runnable {

    // If a database refuses immediately, the client must not retry in a tight loop.
    private static final long PAUSE_AFTER_ERROR_NS = 10_000_000;

    final Histogram latencyNs = new Histogram(3);
    final TreeMap<String, Integer> errors = new TreeMap<>();
    long waitNs;

    private final Load load;
    private final Connections connections;
    private final Window window;
    private final SplittableRandom random;

    Worker(Load load, Connections connections, Window window, SplittableRandom random) {
        this.load = load;
        this.connections = connections;
        this.window = window;
        this.random = random;
    }

    @Override
    public void run() {
        while (!window.isOver()) {
            transaction();
            // A think time of no more than the window: parked threads end with it.
            if (load.thinkMs() > 0) {
                LockSupport.parkNanos(load.thinkMs() * 1_000_000L);
            }
        }
    }

    private void transaction() {
        long askedNs = System.nanoTime();
        try {
            long givenNs;
            try (Connection connection = connections.get()) {
                givenNs = System.nanoTime();
                load.work().run(connection, random, load.rows());
            }
            long endedNs = System.nanoTime();
            if (window.holds(endedNs)) {
                latencyNs.recordValue(endedNs - askedNs);
                waitNs += givenNs - askedNs;
            }
        } catch (SQLException refused) {
            if (window.holds(System.nanoTime())) {
                errors.merge(kindOf(refused), 1, Integer::sum);
            }
            LockSupport.parkNanos(PAUSE_AFTER_ERROR_NS);
        }
    }

    /** The SQL state, which all databases share. */
    private static String kindOf(SQLException refused) {
        String state = refused.getSQLState();
        return state == null ? "no-connection-in-time" : "sql-" + state;
    }
}
