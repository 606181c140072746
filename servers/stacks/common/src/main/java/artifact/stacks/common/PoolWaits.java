package artifact.stacks.common;

import com.zaxxer.hikari.metrics.*;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The time that requests spend before they have a connection, as HikariCP reports it: {@code pool_waits}
 * of them requested one and waited {@code pool_wait_ms} in sum (for a free one microseconds, and
 * counted too), {@code pool_timeouts} of them in vain.
 */
public final class PoolWaits implements MetricsTrackerFactory {

    private final LongAdder waits = new LongAdder();
    private final LongAdder waitNs = new LongAdder();
    private final LongAdder timeouts = new LongAdder();

    @Override
    public IMetricsTracker create(String poolName, PoolStats stats) {
        return new IMetricsTracker() {
            @Override
            public void recordConnectionAcquiredNanos(long elapsedNs) {
                waits.increment();
                waitNs.add(elapsedNs);
            }

            @Override
            public void recordConnectionTimeout() {
                timeouts.increment();
            }
        };
    }

    public Map<String, Number> counters() {
        return Map.of("pool_waits", waits.sum(), "pool_wait_ms", waitNs.sum() / 1e6, "pool_timeouts", timeouts.sum());
    }
}
