package artifact.spring;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Whether the server answers, in every mode and at no cost. */
@RestController
class PingController {

    @GetMapping("/ping")
    String ping() {
        return "OK";
    }
}
