package artifact.database;

import module java.base;
import org.HdrHistogram.Histogram;

/** Transactions and failures of all workers of one combination. */
record Outcome(
        Combination combination,
        Window window,
        Histogram latencyNs,
        double meanWaitNs,
        double fairness,
        long workersWithout,
        TreeMap<String, Integer> errors) {

    static Outcome of(Combination combination, Window window, List<Worker> workers) {
        Histogram latencyNs = new Histogram(3);
        double waitNs = 0;
        TreeMap<String, Integer> errors = new TreeMap<>();
        for (Worker worker : workers) {
            latencyNs.add(worker.latencyNs);
            waitNs += worker.waitNs;
            worker.errors.forEach((kind, count) -> errors.merge(kind, count, Integer::sum));
        }
        long[] shares = workers.stream().mapToLong(worker -> worker.latencyNs.getTotalCount()).toArray();
        long without = workers.stream()
                .filter(worker -> worker.latencyNs.getTotalCount() == 0)
                .count();
        double meanWaitNs = waitNs / Math.max(1, latencyNs.getTotalCount());
        return new Outcome(combination, window, latencyNs, meanWaitNs, fairness(shares), without, errors);
    }

    /**
     * Jain's index of the workers' shares: 1 when all got the same, 1/n when one got everything.
     *
     * <p>Source: Jain, Chiu, Hawe 1984, "A Quantitative Measure of Fairness".
     */
    static double fairness(long... shares) {
        double sum = 0;
        double squares = 0;
        for (long share : shares) {
            sum += share;
            squares += (double) share * share;
        }
        return squares == 0 ? 0 : sum * sum / (shares.length * squares);
    }

    long transactions() {
        return latencyNs.getTotalCount();
    }

    int failed() {
        return errors.values().stream().mapToInt(Integer::intValue).sum();
    }
}
