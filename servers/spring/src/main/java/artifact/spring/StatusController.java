package artifact.spring;

import artifact.spring.telemetry.CounterSource;
import artifact.spring.telemetry.ThreadStates;
import artifact.stacks.common.Options;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.*;

/** Pages of every mode that say how it is; no load asks for them. */
@RestController
class StatusController {

    private final Options options;
    private final ObjectProvider<CounterSource> sources;
    private final ObjectProvider<ThreadStates> states;

    StatusController(
            Options options, ObjectProvider<CounterSource> sources, ObjectProvider<ThreadStates> states) {
        this.options = options;
        this.sources = sources;
        this.states = states;
    }

    @GetMapping("/ping")
    String ping() {
        return "OK";
    }

    /** The options, those by default included. */
    @GetMapping(path = "/limits", produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] limits() {
        return options.limits().body();
    }

    /** All counts of the parts of this mode since the start. */
    @GetMapping("/counters")
    Map<String, Number> counters() {
        Map<String, Number> all = new TreeMap<>();
        sources.forEach(source -> all.putAll(source.counters()));
        return all;
    }

    /** Switches the watcher on and off; a mode without one answers all the same. */
    @GetMapping("/watch")
    String watch(@RequestParam boolean on) throws IOException {
        for (ThreadStates watcher : states) {
            if (on) {
                watcher.start();
            } else {
                watcher.stop();
            }
        }
        return on ? "on" : "off";
    }
}
