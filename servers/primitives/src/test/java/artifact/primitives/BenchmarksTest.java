package artifact.primitives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark once, in this process: a benchmark passes if it ends with both of its values. */
class BenchmarksTest {

    @Test
    void everyPrimitiveHasWallAndCpuTime() throws RunnerException {
        String table = "CREATE TABLE IF NOT EXISTS sbtest1 AS SELECT x AS id, 'text' AS c FROM SYSTEM_RANGE(1, 10)";
        System.setProperty("database.url", "jdbc:h2:mem:primitives;INIT=" + table);
        System.setProperty("database.rows", "10");
        // A database in this process: so its CPU time is counted both as the client's and as the server's.
        System.setProperty("server.pid", Long.toString(ProcessHandle.current().pid()));
        Options once = new OptionsBuilder()
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(50))
                .addProfiler(ProcessCpu.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        Collection<RunResult> results = new Runner(once).run();
        assertEquals(
                Set.of(
                        "connectionBorrow", "databaseConnect", "databaseStatement", "platformThreadStart",
                        "poolHandOff", "virtualThreadStart"),
                results.stream().map(BenchmarksTest::name).collect(Collectors.toSet()));
        for (RunResult result : results) {
            assertTrue(result.getPrimaryResult().getScore() > 0, name(result));
            assertTrue(result.getSecondaryResults().containsKey("cpu"), name(result));
        }
        // Ticks of 10 ms are coarse for one of them, but not for all together.
        assertEquals(1, usedUs(results, "server") / usedUs(results, "cpu"), 0.5);
    }

    private static double usedUs(Collection<RunResult> results, String whose) {
        return results.stream()
                .mapToDouble(result -> result.getSecondaryResults().get(whose).getScore()
                        * result.getPrimaryResult().getScore())
                .sum();
    }

    private static String name(RunResult result) {
        String full = result.getParams().getBenchmark();
        return full.substring(full.lastIndexOf('.') + 1);
    }
}
