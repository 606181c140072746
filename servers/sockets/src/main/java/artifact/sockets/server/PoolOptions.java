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

    @Option(
            names = "--core-threads",
            defaultValue = "10",
            converter = WholeNumber.Count.class,
            description = "Threads started before a connection is queued; they stay.")
    private int coreThreads;

    @Option(
            names = "--threads",
            defaultValue = "20",
            converter = WholeNumber.Count.class,
            description = "Threads at most; those above the core are started only while the queue is full.")
    private int maxThreads;

    @Option(
            names = "--queue",
            defaultValue = "100",
            converter = WholeNumber.Count.class,
            description = "Connections that may wait for a thread.")
    private int queueCapacity;

    @Option(
            names = "--keep-alive-ms",
            defaultValue = "5000",
            converter = WholeNumber.CountOrNone.class,
            description = "Time after which an idle thread above the core ends.")
    private int keepAliveMs;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** @param whenFull what happens to a connection when all threads are busy and the queue is full */
    public ThreadPoolExecutor newPool(RejectedExecutionHandler whenFull) {
        if (maxThreads < coreThreads) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--threads': '" + maxThreads
                            + "' is not a whole number from --core-threads, here " + coreThreads + ", to 1000000");
        }
        return new ThreadPoolExecutor(
                coreThreads,
                maxThreads,
                keepAliveMs,
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(queueCapacity),
                Thread.ofPlatform().name("handler-", 0).factory(),
                whenFull);
    }
}
