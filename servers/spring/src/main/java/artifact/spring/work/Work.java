package artifact.spring.work;

import artifact.stacks.common.Options;
import java.time.Duration;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Pages that cost time, each a controller in this package: time asleep, CPU time, time asleep with something held, a file. In a
 * positive control ({@code control-percent}) sleep and computation are longer than the query says.
 */
@Configuration(proxyBeanMethods = false)
@ComponentScan(useDefaultFilters = false, includeFilters = @Filter(RestController.class))
public class Work {

    private static final long MAX_SLEEP_MS = 60_000;
    private static final long MAX_CPU_US = 10_000_000;

    private final long percent;

    Work(Options options) {
        percent = 100 + options.number("control-percent");
    }

    /** @throws ResponseStatusException 400 beyond {@link #MAX_SLEEP_MS} */
    void sleep(long sleepMs) throws InterruptedException {
        requireSleep(sleepMs);
        Thread.sleep(Duration.ofNanos(sleepMs * percent * 10_000));
    }

    /** @throws ResponseStatusException 400 beyond {@link #MAX_SLEEP_MS} */
    void requireSleep(long sleepMs) {
        requireUpTo(MAX_SLEEP_MS, "sleep_ms", sleepMs);
    }

    /**
     * Returns when the current thread has used that much more CPU time.
     *
     * @throws ResponseStatusException 400 beyond {@link #MAX_CPU_US}
     */
    void burn(long cpuUs) {
        requireCpuUs(cpuUs);
        CpuClock clock = CpuClock.ofCurrentThread();
        long end = clock.usedNs() + cpuUs * percent * 10;
        while (clock.usedNs() < end) {
            Thread.onSpinWait();
        }
    }

    /** @throws ResponseStatusException 400 beyond {@link #MAX_CPU_US} */
    static void requireCpuUs(long cpuUs) {
        requireUpTo(MAX_CPU_US, "cpu_us", cpuUs);
    }

    /** @throws ResponseStatusException 400, naming the parameter, its value and what is allowed */
    private static void requireUpTo(long limit, String parameter, long value) {
        if (value < 0 || value > limit) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST,
                    parameter + " is a whole number from 0 to " + limit + ", not " + value);
        }
    }
}
