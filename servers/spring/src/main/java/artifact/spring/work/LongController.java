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
 * platform threads, whatever thread serves the request.
 */
@RestController
class LongController {

    private final Work work;
    private final Permits permits;
    private final Executor threads;

    LongController(Work work, Options options) {
        this.work = work;
        permits = new Permits(options.has("long-permits") ? options.number("long-permits") : 0);
        threads = options.has("long-threads") ? pool(options.number("long-threads")) : Runnable::run;
    }

    @GetMapping("/api/long-test")
    String burn(@RequestParam(name = "cpu_us", defaultValue = "50000") long cpuUs) {
        Work.requireCpuUs(cpuUs);
        return permits.within(() -> {
            CompletableFuture.runAsync(() -> work.burn(cpuUs), threads).join();
            return "OK";
        });
    }

    private static Executor pool(int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name("long-", 0).factory());
    }
}
