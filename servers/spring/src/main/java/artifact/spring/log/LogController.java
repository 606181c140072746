package artifact.spring.log;

import artifact.spring.Parameter;
import ch.qos.logback.classic.Logger;
import org.springframework.web.bind.annotation.*;

/** Logs one line of so many bytes, an exception with its stack by default. */
@RestController
class LogController {

    private final Logger logger;

    LogController(Logger logger) {
        this.logger = logger;
    }

    @GetMapping("/api/log-test")
    String log(@RequestParam(name = "bytes", defaultValue = "4096") int bytes) {
        Parameter.require("bytes", bytes, 1, 65_536);
        logger.info("x".repeat(bytes - 1));
        return "OK";
    }
}
