package artifact.spring.work;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Keeps the thread of the request on a CPU until it has used that much CPU time. */
@RestController
class CpuController {

    private final Work work;

    CpuController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/cpu-test")
    String burn(@RequestParam(name = "cpu_us", defaultValue = "2000") long cpuUs) {
        work.burn(cpuUs);
        return "OK";
    }
}
