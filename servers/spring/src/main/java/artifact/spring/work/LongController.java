package artifact.spring.work;

import artifact.stacks.common.Options;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;
import org.springframework.web.bind.annotation.*;

/**
 * Computes as {@link TimeController} does, for long, on a page of its own, which a mode may treat apart: its
 * requests compute on {@code long-threads} platform threads, whatever thread serves them. Each time after so
 * much CPU time they yield ({@code long-yields-us}), or after each millisecond they rest ({@code
 * long-rests-ms}).
 */
@RestController
class LongController {

    private final Work work;
    private final Executor threads;
    private final Runnable pause;
    private final long partUs;

    LongController(Work work, Options options) {
        this.work = work;
        threads = options.has("long-threads") ? pool(options.number("long-threads")) : Runnable::run;
        if (options.has("long-rests-ms")) {
            long restNs = 1_000_000L * options.number("long-rests-ms");
            pause = () -> LockSupport.parkNanos(restNs);
            partUs = 1000;
        } else {
            pause = Thread::yield;
            partUs = options.has("long-yields-us") ? options.number("long-yields-us") : Long.MAX_VALUE;
        }
    }

    @GetMapping("/api/long-test")
    String burn(@RequestParam(name = "cpu_us", defaultValue = "50000") long cpuUs) {
        Work.requireCpuUs(cpuUs);
        CompletableFuture.runAsync(() -> compute(cpuUs), threads).join();
        return "OK";
    }

    /** A virtual thread that pauses may go on on another carrier, whose clock is read again. */
    private void compute(long cpuUs) {
        for (long left = cpuUs; left > 0; left -= partUs) {
            work.burn(Math.min(left, partUs));
            if (left > partUs) {
                pause.run();
            }
        }
    }

    private static Executor pool(int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("long-", 0).factory());
    }
}
