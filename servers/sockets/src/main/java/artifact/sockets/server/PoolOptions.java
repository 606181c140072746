package artifact.sockets.server;

import module java.base;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The size of a thread pool, and how the JDK's pool reads it: it queues before it grows.
 *
 * <p>A connection keeps its thread until it is closed. Clients that keep theirs open leave those in
 * the queue waiting, for as long as the read time-out allows.
 */
public final class PoolOptions {

    /** After which an idle thread above the core ends; as published. */
    private static final int KEEP_ALIVE_MS = 5000;

    @Option(
            names = "--core-threads",
            defaultValue = "10",
            description = "Threads started before a connection is queued; they stay.")
    private int coreThreads;

    @Option(
            names = "--threads",
            defaultValue = "20",
            description = "Threads at most; those above the core are started only while the queue is full.")
    private int maxThreads;

    @Option(
            names = "--queue",
            defaultValue = "100",
            description = "Connections that may wait for a thread.")
    private int queueCapacity;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Rejects a connection when all threads are busy and the queue is full. */
    public ThreadPoolExecutor newPool() {
        if (maxThreads < coreThreads) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--threads is at least --core-threads, here " + coreThreads + ", not " + maxThreads);
        }
        return new ThreadPoolExecutor(
                coreThreads,
                maxThreads,
                KEEP_ALIVE_MS,
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(queueCapacity),
                Thread.ofPlatform().name("handler-", 0).factory());
    }
}
