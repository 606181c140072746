package artifact.spring.work;

import artifact.spring.Parameter;
import artifact.stacks.common.Options;
import java.time.Duration;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RestController;

/**
 * Pages that cost time, each in a controller of this package: time asleep, CPU time, time asleep with something
 * held, a file. In a positive control ({@code control-percent}) sleep and computation are longer than the query says.
 */
@Configuration(proxyBeanMethods = false)
@ComponentScan(useDefaultFilters = false, includeFilters = @Filter(RestController.class))
public class Work {

    private final long percent;

    Work(Options options) {
        percent = 100 + options.number("control-percent");
    }

    void sleep(long sleepMs) throws InterruptedException {
        requireSleep(sleepMs);
        Thread.sleep(Duration.ofNanos(sleepMs * percent * 10_000));
    }

    static void requireSleep(long sleepMs) {
        Parameter.require("sleep_ms", sleepMs, 0, 60_000);
    }

    /** Returns when the current thread has used that much more CPU time. */
    void burn(long cpuUs) {
        requireCpuUs(cpuUs);
        CpuClock clock = CpuClock.ofCurrentThread();
        long end = clock.usedNs() + cpuUs * percent * 10;
        while (clock.usedNs() < end) {
            Thread.onSpinWait();
        }
    }

    static void requireCpuUs(long cpuUs) {
        Parameter.require("cpu_us", cpuUs, 0, 10_000_000);
    }
}
