package artifact.spring.work;

import artifact.stacks.common.Options;
import artifact.stacks.common.Permits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Computes as {@link CpuController} does, for long, on a page of its own, which a mode may treat apart: at
 * most {@code long-permits} of its requests compute at a time, or they compute on {@code long-threads}
 * platform threads, whatever thread serves the request. With {@code long-yields-us} they let others run each time after
 * so much CPU time.
 */
@RestController
class LongController {

    private final Work work;
    private final Permits permits;
    private final Executor threads;
    private final long yieldsUs;

    LongController(Work work, Options options) {
        this.work = work;
        permits = new Permits(options.has("long-permits") ? options.number("long-permits") : 0);
        threads = options.has("long-threads") ? pool(options.number("long-threads")) : Runnable::run;
        yieldsUs = options.has("long-yields-us") ? options.number("long-yields-us") : Long.MAX_VALUE;
    }

    @GetMapping("/api/long-test")
    String burn(@RequestParam(name = "cpu_us", defaultValue = "50000") long cpuUs) {
        Work.requireCpuUs(cpuUs);
        return permits.within(() -> {
            CompletableFuture.runAsync(() -> compute(cpuUs), threads).join();
            return "OK";
        });
    }

    /** A virtual thread that yields may go on on another carrier, whose clock is read again. */
    private void compute(long cpuUs) {
        for (long left = cpuUs; left > 0; left -= yieldsUs) {
            work.burn(Math.min(left, yieldsUs));
            if (left > yieldsUs) {
                Thread.yield();
            }
        }
    }

    private static Executor pool(int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("long-", 0).factory());
    }
}
