package artifact.spring.telemetry;

import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.*;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.*;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * Writes thread-states.csv into the working folder: every {@code states-every-ms} while this is
 * on, how many threads of each group are in which state, to the JVM and to the kernel. That costs CPU
 * time, so it is off until it is started.
 *
 * <p>The two differ where it matters: to the JVM a thread that waits for a socket is RUNNABLE, since
 * it waits in native code; to the kernel it sleeps. Virtual threads are in neither view, only their
 * carriers.
 */
@ConditionalOnProperty("states-every-ms")
public class ThreadStates implements AutoCloseable {

    static final Path FILE = Path.of("thread-states.csv");
    static final String COLUMNS = "time_s,source,group,state,threads";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final int everyMs;
    private final BufferedWriter csv;
    /** Both null while this is off. */
    private ScheduledExecutorService sampler;
    private KernelThreads kernel;

    ThreadStates(@Value("${states-every-ms}") int everyMs) throws IOException {
        this.everyMs = everyMs;
        csv = Files.newBufferedWriter(FILE);
        csv.write(COLUMNS + "\n");
    }

    /** Does nothing when it is on already. */
    public synchronized void start() {
        if (sampler == null) {
            kernel = new KernelThreads();
            sampler = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("thread-states").factory());
            sampler.scheduleWithFixedDelay(this::sample, everyMs, everyMs, TimeUnit.MILLISECONDS);
        }
    }

    /** Returns when the last sample is written. */
    public synchronized void stop() throws IOException {
        if (sampler != null) {
            sampler.close();
            kernel.close();
            sampler = null;
            kernel = null;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        csv.close();
    }

    /** Flushed at once, so that a server that is killed leaves all its samples. */
    private void sample() {
        BigDecimal timeS = BigDecimal.valueOf(System.currentTimeMillis(), 3);
        try {
            write(timeS + ",jvm,", jvm());
            write(timeS + ",kernel,", kernel.count());
            csv.flush();
        } catch (IOException | RuntimeException | Error failure) {
            // The executor ends the samples without a word.
            System.err.println("thread states can no longer be written: " + failure);
            throw new IllegalStateException(failure);
        }
    }

    private void write(String timeAndSource, Map<String, Integer> counts) throws IOException {
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            csv.write(timeAndSource + count.getKey() + "," + count.getValue() + "\n");
        }
    }

    /** Threads by "group,state". Without stack traces, so that no thread is stopped for it. */
    private static Map<String, Integer> jvm() {
        Map<String, Integer> counts = new TreeMap<>();
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds(), 0)) {
            if (thread != null) {
                String group = ThreadGroups.of(thread.getThreadName());
                counts.merge(group + "," + thread.getThreadState(), 1, Integer::sum);
            }
        }
        return counts;
    }
}
