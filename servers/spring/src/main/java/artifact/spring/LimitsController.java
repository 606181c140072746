package artifact.spring;

import artifact.stacks.common.Options;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The options of this mode, those by default included. */
@RestController
class LimitsController {

    private final Options options;

    LimitsController(Options options) {
        this.options = options;
    }

    @GetMapping(path = "/limits", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] limits() {
        return options.limits().body();
    }
}
