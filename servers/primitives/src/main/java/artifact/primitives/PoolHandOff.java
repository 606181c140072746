package artifact.primitives;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * From submitting a task to its running in a thread of a pool that was waiting for one. Two pools, of
 * the size that the servers have, throw one task to each other, so that there is no other waking to subtract.
 */
@State(Scope.Benchmark)
public class PoolHandOff {

    private static final int HAND_OFFS = 2000;

    private final ThreadPoolExecutor[] pools = {newPool(), newPool()};

    private static ThreadPoolExecutor newPool() {
        return new ThreadPoolExecutor(10, 20, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(100));
    }

    @Setup
    public void start() {
        for (ThreadPoolExecutor pool : pools) {
            pool.prestartAllCoreThreads();
        }
    }

    @Benchmark
    @OperationsPerInvocation(HAND_OFFS)
    public void poolHandOff() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        handOn(HAND_OFFS, done);
        done.await();
    }

    private void handOn(int left, CountDownLatch done) {
        if (left == 0) {
            done.countDown();
        } else {
            pools[left % 2].execute(() -> handOn(left - 1, done));
        }
    }

    @TearDown
    public void stop() {
        for (ThreadPoolExecutor pool : pools) {
            pool.shutdown();
        }
    }
}
