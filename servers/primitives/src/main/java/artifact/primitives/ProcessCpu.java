package artifact.primitives;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation, in µs: all threads that have a part in it, and the
 * kernel's work for them.
 *
 * <p>The bean counts in ticks of 10 ms. A tick that one iteration loses the next one gains, so the mean
 * over a fork's iterations is good to a tick by their whole length.
 */
public final class ProcessCpu implements InternalProfiler {

    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long beforeNs;

    @Override
    public String getDescription() {
        return "CPU time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        beforeNs = system.getProcessCpuTime();
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double usedUs = (system.getProcessCpuTime() - beforeNs) / 1e3;
        double perOperation = usedUs / result.getMetadata().getAllOps();
        return List.of(new ScalarResult("cpu", perOperation, "us/op", AggregationPolicy.AVG));
    }
}
