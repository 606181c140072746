package artifact.primitives;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation, in µs: all threads that have a part in it, and the
 * kernel's work for them. Where the system property {@code server.pid} names another process that has a
 * part in it, that one's too, as {@code server}.
 *
 * <p>Both are counted in ticks of 10 ms. A tick that one iteration loses the next one gains, so the mean
 * over a fork's iterations is good to a tick by their whole length.
 */
public final class ProcessCpu implements InternalProfiler {

    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Optional<ProcessHandle> server =
            Optional.ofNullable(Long.getLong("server.pid")).flatMap(ProcessHandle::of);
    private long beforeNs;
    private long serverBeforeNs;

    @Override
    public String getDescription() {
        return "CPU time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        beforeNs = system.getProcessCpuTime();
        serverBeforeNs = serverNs();
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long operations = result.getMetadata().getAllOps();
        List<ScalarResult> used = new ArrayList<>();
        used.add(perOperation("cpu", system.getProcessCpuTime() - beforeNs, operations));
        if (server.isPresent()) {
            used.add(perOperation("server", serverNs() - serverBeforeNs, operations));
        }
        return used;
    }

    private static ScalarResult perOperation(String name, long usedNs, long operations) {
        return new ScalarResult(name, usedNs / 1e3 / operations, "us/op", AggregationPolicy.AVG);
    }

    private long serverNs() {
        return server.flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
