package artifact.spring.work;

import org.springframework.web.bind.annotation.*;

/** Waits, or keeps its thread on a CPU until it has used that much CPU time, or one after the other. */
@RestController
class TimeController {

    private final Work work;

    TimeController(Work work) {
        this.work = work;
    }

    /** 100 ms as published. */
    @GetMapping("/api/sleep-test")
    String sleep(@RequestParam(name = "sleep_ms", defaultValue = "100") long sleepMs) throws InterruptedException {
        work.sleep(sleepMs);
        return "OK";
    }

    @GetMapping("/api/cpu-test")
    String burn(@RequestParam(name = "cpu_us", defaultValue = "2000") long cpuUs) {
        work.burn(cpuUs);
        return "OK";
    }

    /** Most requests do both, and the right number of threads depends on it. */
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
