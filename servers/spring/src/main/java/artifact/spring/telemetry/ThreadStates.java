package artifact.spring.telemetry;

import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.*;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private Thread sampler;
    private CountDownLatch stop;

    ThreadStates(@Value("${states-every-ms}") int everyMs) throws IOException {
        this.everyMs = everyMs;
        csv = Files.newBufferedWriter(FILE);
        csv.write(COLUMNS + "\n");
    }

    /** Does nothing when it is on already. */
    public synchronized void start() {
        if (sampler == null) {
            CountDownLatch end = new CountDownLatch(1);
            stop = end;
            sampler = Thread.ofPlatform().daemon().name("thread-states").start(() -> sampleUntil(end));
        }
    }

    /** Returns when the last sample is written; not by an interrupt, which would close the file. */
    public synchronized void stop() {
        if (sampler != null) {
            stop.countDown();
            join(sampler);
            sampler = null;
            stop = null;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        csv.close();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException("stopped while the last sample was awaited", stopped);
        }
    }

    private void sampleUntil(CountDownLatch end) {
        try (KernelThreads kernel = new KernelThreads()) {
            while (!end.await(everyMs, TimeUnit.MILLISECONDS)) {
                sample(kernel);
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("thread states can no longer be written", failure);
        }
    }

    /** Flushed at once, so that a server that is killed leaves all its samples. */
    private void sample(KernelThreads kernel) throws IOException {
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
