package artifact.spring.log;

import ch.qos.logback.classic.Logger;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Logs one line of so many bytes, an exception with its stack by default. */
@RestController
class LogController {

    private static final int MAX_BYTES = 65_536;

    private final Logger logger;

    LogController(Logger logger) {
        this.logger = logger;
    }

    @GetMapping("/api/log-test")
    String log(@RequestParam(name = "bytes", defaultValue = "4096") int bytes) {
        if (bytes < 1 || bytes > MAX_BYTES) {
            String allowed = "bytes = " + bytes + "; allowed: 1 to " + MAX_BYTES;
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, allowed);
        }
        logger.info("x".repeat(bytes - 1));
        return "OK";
    }
}
