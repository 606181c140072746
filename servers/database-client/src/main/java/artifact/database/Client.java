package artifact.database;

import module java.base;
import module java.sql;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * A closed loop on a database: workers that wait for their answer, for every combination of pool sizes.
 *
 * <p>Its options are described at {@link Load} and {@link Combination}. The password is read from the
 * environment variable DATABASE_PASSWORD. Leaves combinations.csv and latency.hgrm (of all combinations
 * together) in a folder.
 */
final class Client {

    // Longer than any window: waiting is measured, not cut off.
    private static final long WAIT_AT_MOST_MS = 30_000;

    @Option(names = "--url", required = true)
    private String url;

    @Option(names = "--user", required = true)
    private String user;

    @Option(names = "--statement", required = true)
    private Work work;

    @Option(names = "--workers", required = true)
    private int workers;

    @Option(names = "--virtual")
    private boolean virtual;

    @Option(names = "--think-ms")
    private int thinkMs;

    @Option(names = "--rows", required = true)
    private int rows;

    @Option(names = "--pool-sizes", split = ",", defaultValue = "0")
    private List<Integer> poolSizes;

    @Option(names = "--server-pool-sizes", split = ",", defaultValue = "0")
    private List<Integer> serverPoolSizes;

    @Option(names = "--warm-up-ms", required = true)
    private int warmUpMs;

    @Option(names = "--window-ms", required = true)
    private int windowMs;

    @Option(names = "--seed", required = true)
    private long seed;

    @Option(names = "--folder", required = true)
    private Path folder;

    /** A load of these options, which end with {@link CommandLine.ParameterException} where one is wrong. */
    static Client of(String... options) {
        Client client = new Client();
        new CommandLine(client).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(options);
        return client;
    }

    void run() throws SQLException, IOException, InterruptedException {
        Account account = new Account(url, user, System.getenv("DATABASE_PASSWORD"));
        Load load = new Load(work, workers, virtual, thinkMs, rows, warmUpMs, windowMs, seed);
        try (Records records = new Records(folder)) {
            for (Combination combination : combinations()) {
                records.add(measure(account, combination, load));
            }
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

    static Outcome measure(Account account, Combination combination, Load load)
            throws SQLException, InterruptedException {
        if (combination.serverPoolSize() > 0) {
            setServerPool(account, combination.serverPoolSize());
        }
        // Opened after the server's pool was set: a connection stays in the group it was born into.
        try (Connections connections = combination.poolSize() == 0
                ? account::connect
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

    private static void setServerPool(Account account, int size) throws SQLException {
        try (Connection connection = account.connect();
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
