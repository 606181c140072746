package artifact.spring.work;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Waiting in its purest form, 100 ms as published. */
@RestController
class SleepController {

    private final Work work;

    SleepController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/sleep-test")
    String sleep(@RequestParam(name = "sleep_ms", defaultValue = "100") long sleepMs) throws InterruptedException {
        work.sleep(sleepMs);
        return "OK";
    }
}
