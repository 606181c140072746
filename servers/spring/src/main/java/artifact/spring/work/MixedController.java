package artifact.spring.work;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Waits, then computes: what most requests do, and what the right number of threads depends on. */
@RestController
class MixedController {

    private final Work work;

    MixedController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/work-test")
    String waitAndBurn(
            @RequestParam(name = "sleep_ms", defaultValue = "18") long sleepMs,
            @RequestParam(name = "cpu_us", defaultValue = "2000") long cpuUs)
            throws InterruptedException {
        work.sleep(sleepMs);
        work.burn(cpuUs);
        return "OK";
    }
}
