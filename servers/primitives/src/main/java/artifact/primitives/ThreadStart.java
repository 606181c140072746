package artifact.primitives;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A thread from its start to its end. Many are started before the first is awaited, as a server does. */
@State(Scope.Benchmark)
public class ThreadStart {

    private static final int THREADS = 64;

    private final Thread[] threads = new Thread[THREADS];

    @Benchmark
    @OperationsPerInvocation(THREADS)
    public void platformThreadStart() throws InterruptedException {
        startAndAwaitAll(Thread.ofPlatform());
    }

    @Benchmark
    @OperationsPerInvocation(THREADS)
    public void virtualThreadStart() throws InterruptedException {
        startAndAwaitAll(Thread.ofVirtual());
    }

    private void startAndAwaitAll(Thread.Builder builder) throws InterruptedException {
        for (int i = 0; i < THREADS; i++) {
            threads[i] = builder.start(() -> {});
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
