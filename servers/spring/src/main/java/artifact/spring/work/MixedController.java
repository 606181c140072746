package artifact.spring.work;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Waits, then computes: what most requests do, and what the right number of threads depends on. */
@RestController
class MixedController {

    @GetMapping("/api/work-test")
    String waitAndBurn(
            @RequestParam(name = "sleep_ms", defaultValue = "18") long sleepMs,
            @RequestParam(name = "cpu_us", defaultValue = "2000") long cpuUs)
            throws InterruptedException {
        Work.requireUpTo(Work.MAX_SLEEP_MS, "sleep_ms", sleepMs);
        Thread.sleep(sleepMs);
        Work.burn(cpuUs);
        return "OK";
    }
}
