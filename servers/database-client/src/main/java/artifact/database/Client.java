package artifact.database;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A closed loop on a database: workers that wait for their answer, for every combination of pool sizes.
 *
 * <p>The password is read from the environment variable DATABASE_PASSWORD. Leaves combinations.csv,
 * latency.hgrm and wait.hgrm (of all combinations together) in a folder.
 */
@Command(name = "Client", mixinStandardHelpOptions = true)
public final class Client implements Runnable {

    // Longer than any window: waiting is measured, not cut off.
    private static final long WAIT_AT_MOST_MS = 30_000;

    @Option(names = "--url", required = true, description = "JDBC address.")
    private String url;

    @Option(names = "--user", required = true, description = "User.")
    private String user;

    @Option(names = "--statement", required = true, description = "Statement: ${COMPLETION-CANDIDATES}.")
    private Work work;

    @Option(names = "--workers", required = true, description = "Concurrent clients.")
    private int workers;

    @Option(names = "--virtual", description = "Virtual threads instead of platform threads.")
    private boolean virtual;

    @Option(names = "--think-ms", defaultValue = "0", description = "Pause between two transactions.")
    private int thinkMs;

    @Option(names = "--rows", required = true, description = "Rows of the table.")
    private int rows;

    @Option(
            names = "--pool-sizes",
            split = ",",
            defaultValue = "0",
            description = "Sizes of the connection pool; 0: a new connection for every transaction.")
    private List<Integer> poolSizes;

    @Option(
            names = "--server-pool-sizes",
            split = ",",
            defaultValue = "0",
            description = "Values of the server's thread_pool_size; 0: unchanged.")
    private List<Integer> serverPoolSizes;

    @Option(
            names = "--first-warm-up-ms",
            defaultValue = "1000",
            description = "Warm-up of the JVM, before the first combination; 0: none.")
    private int firstWarmUpMs;

    @Option(names = "--warm-up-ms", defaultValue = "250", description = "Warm-up of a combination.")
    private int warmUpMs;

    @Option(names = "--window-ms", required = true, description = "Length of a combination's window.")
    private int windowMs;

    @Option(names = "--seed", required = true, description = "Seed of the ids and of the order.")
    private long seed;

    @Option(names = "--folder", defaultValue = ".", description = "Folder of the records.")
    private Path folder;

    public static void main(String[] args) {
        System.exit(new Client().commandLine().execute(args));
    }

    CommandLine commandLine() {
        return new CommandLine(this).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public void run() {
        Account account = new Account(url, user, System.getenv("DATABASE_PASSWORD"));
        Load load = new Load(work, workers, virtual, thinkMs, rows, warmUpMs, windowMs, seed);
        try (Records records = new Records(folder)) {
            List<Combination> combinations = combinations();
            if (firstWarmUpMs > 0) {
                measure(account, combinations.getFirst(), warmUp(load));
            }
            for (Combination combination : combinations) {
                records.add(measure(account, combination, load));
            }
        } catch (SQLException | IOException | InterruptedException fault) {
            throw new IllegalStateException(fault.toString(), fault);
        }
    }

    /** In an order that the seed decides, so that no size is always measured after the same other one. */
    List<Combination> combinations() {
        List<Combination> all = new ArrayList<>();
        for (int serverPoolSize : serverPoolSizes) {
            for (int poolSize : poolSizes) {
                all.add(new Combination(serverPoolSize, poolSize));
            }
        }
        Collections.shuffle(all, new Random(seed));
        return all;
    }

    private Load warmUp(Load load) {
        return new Load(work, workers, virtual, thinkMs, rows, firstWarmUpMs, 0, seed);
    }

    static Outcome measure(Account account, Combination combination, Load load)
            throws SQLException, InterruptedException {
        if (combination.serverPoolSize() > 0) {
            setServerPool(account, combination.serverPoolSize());
        }
        // Opened after the server's pool was set: a connection stays in the group it was born into.
        try (Connections connections = combination.poolSize() == 0
                ? Connections.unpooled(account)
                : Connections.pool(account, combination.poolSize(), WAIT_AT_MOST_MS)) {
            return runWorkers(connections, combination, load);
        }
    }

    private static Outcome runWorkers(Connections connections, Combination combination, Load load)
            throws InterruptedException {
        SplittableRandom random = new SplittableRandom(load.seed());
        Window window = Window.of(load.warmUpMs(), load.windowMs());
        List<Worker> workers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < load.workers(); i++) {
            Worker worker = new Worker(load, connections, window, random.split());
            workers.add(worker);
            threads.add(load.threads().start(worker));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return Outcome.of(combination, window, workers);
    }

    /** Sets the size and reads it back. */
    private static void setServerPool(Account account, int size) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(account.url(), account.user(), account.password());
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL thread_pool_size = " + size);
            try (var answer = statement.executeQuery("SELECT @@thread_pool_size")) {
                if (!answer.next() || answer.getInt(1) != size) {
                    throw new SQLException("thread_pool_size did not become " + size);
                }
            }
        }
    }
}
