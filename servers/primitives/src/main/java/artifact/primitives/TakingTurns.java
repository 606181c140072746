package artifact.primitives;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Two threads that take turns. One operation is one turn handed over: one wakes, the other waits. */
@State(Scope.Benchmark)
public class TakingTurns {

    /** So many that starting the two threads is lost in them. */
    private static final int ROUNDS = 2000;

    @Benchmark
    @OperationsPerInvocation(2 * ROUNDS)
    public void platformPark() throws InterruptedException {
        takeTurns(Thread.ofPlatform(), LockSupport::park, LockSupport::unpark);
    }

    @Benchmark
    @OperationsPerInvocation(2 * ROUNDS)
    public void virtualPark() throws InterruptedException {
        takeTurns(Thread.ofVirtual(), LockSupport::park, LockSupport::unpark);
    }

    private static void takeTurns(Thread.Builder builder, Runnable await, Consumer<Thread> wake)
            throws InterruptedException {
        AtomicInteger turn = new AtomicInteger();
        Thread[] players = new Thread[2];
        for (int i = 0; i < players.length; i++) {
            int me = i;
            int other = 1 - i;
            players[me] = builder.unstarted(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    while (turn.get() != me) {
                        await.run();
                    }
                    turn.set(other);
                    wake.accept(players[other]);
                }
            });
        }
        for (Thread player : players) {
            player.start();
        }
        for (Thread player : players) {
            player.join();
        }
    }
}
