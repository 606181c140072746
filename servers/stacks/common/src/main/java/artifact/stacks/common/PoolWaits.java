package artifact.stacks.common;

import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import com.zaxxer.hikari.metrics.PoolStats;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The time that requests spend before they have a connection, as HikariCP tells it: {@code pool_waits} of them
 * asked for one and waited {@code pool_wait_ms} in sum.
 */
final class PoolWaits implements MetricsTrackerFactory {

    private final LongAdder waits = new LongAdder();
    private final LongAdder waitNs = new LongAdder();

    @Override
    public IMetricsTracker create(String poolName, PoolStats stats) {
        return new IMetricsTracker() {
            @Override
            public void recordConnectionAcquiredNanos(long elapsedNs) {
                waits.increment();
                waitNs.add(elapsedNs);
            }
        };
    }

    Answer counters() {
        return Answer.json(200, Map.of("pool_waits", waits.sum(), "pool_wait_ms", waitNs.sum() / 1e6));
    }
}
