package artifact.database;

import module java.base;
import org.HdrHistogram.Histogram;

/** The files that the client leaves: a row a combination, and the latencies of all of them. */
final class Records implements AutoCloseable {

    private static final double NS_PER_MS = 1e6;
    private static final String COLUMNS = "thread_pool_size,connection_pool_size,start_epoch_s,end_epoch_s,"
            + "transactions,failed,per_s,mean_ms,p99_ms,wait_mean_ms,fairness,workers_without,errors\n";

    private final Path folder;
    private final Writer combinations;
    private final Histogram latencyNs = new Histogram(3);

    Records(Path folder) throws IOException {
        this.folder = folder;
        combinations = Files.newBufferedWriter(folder.resolve("combinations.csv"));
        combinations.write(COLUMNS);
    }

    void add(Outcome outcome) throws IOException {
        combinations.write(row(outcome));
        // Written now: the next combination may end the client.
        combinations.flush();
        latencyNs.add(outcome.latencyNs());
    }

    private static String row(Outcome outcome) {
        Histogram latency = outcome.latencyNs();
        Window window = outcome.window();
        String errors = outcome.errors().entrySet().stream()
                .map(error -> error.getKey() + "=" + error.getValue())
                .collect(Collectors.joining(";"));
        return String.format(
                Locale.ROOT,
                "%d,%d,%.3f,%.3f,%d,%d,%.3f,%.4f,%.4f,%.4f,%.4f,%d,%s%n",
                outcome.combination().serverPoolSize(),
                outcome.combination().poolSize(),
                Window.epochS(window.startNs()),
                Window.epochS(window.endNs()),
                outcome.transactions(),
                outcome.failed(),
                outcome.transactions() / window.lengthS(),
                latency.getMean() / NS_PER_MS,
                latency.getValueAtPercentile(99) / NS_PER_MS,
                outcome.meanWaitNs() / NS_PER_MS,
                outcome.fairness(),
                outcome.workersWithout(),
                errors);
    }

    @Override
    public void close() throws IOException {
        combinations.close();
        try (PrintStream file = new PrintStream(Files.newOutputStream(folder.resolve("latency.hgrm")))) {
            latencyNs.outputPercentileDistribution(file, NS_PER_MS);
        }
    }
}
