package artifact.tomcat.telemetry;

import artifact.tomcat.Options;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.env.Environment;

/**
 * Writes thread-states.csv into the working folder: every {@code thread-states.every-ms}, how many
 * threads of each group are in which state, to the JVM and to the kernel.
 *
 * <p>The two differ where it matters: to the JVM a thread that waits for a socket is RUNNABLE, since
 * it waits in native code; to the kernel it sleeps. Virtual threads are in neither view, only their
 * carriers.
 */
@ConditionalOnProperty("thread-states.every-ms")
public class ThreadStates implements AutoCloseable {

    static final Path FILE = Path.of("thread-states.csv");
    static final String COLUMNS = "time_s,source,group,state,threads";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final KernelThreads kernel = new KernelThreads();
    private final int everyMs;
    private final BufferedWriter csv;
    private final Thread sampler;

    ThreadStates(Environment environment) throws IOException {
        everyMs = Options.count(environment, "thread-states.every-ms");
        csv = Files.newBufferedWriter(FILE);
        csv.write(COLUMNS + "\n");
        sampler = Thread.ofPlatform().daemon().name("thread-states").start(this::sampleUntilClosed);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        sampler.interrupt();
        sampler.join();
        csv.close();
    }

    private void sampleUntilClosed() {
        try {
            while (true) {
                sample();
                Thread.sleep(everyMs);
            }
        } catch (InterruptedException closed) {
            // The file is complete as it is.
        } catch (IOException failure) {
            throw new UncheckedIOException("thread states can no longer be written", failure);
        }
    }

    /** Flushed at once: a server that is killed leaves what it had seen. */
    private void sample() throws IOException {
        BigDecimal timeS = BigDecimal.valueOf(System.currentTimeMillis(), 3);
        write(timeS + ",jvm,", jvm());
        write(timeS + ",kernel,", kernel.count());
        csv.flush();
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
