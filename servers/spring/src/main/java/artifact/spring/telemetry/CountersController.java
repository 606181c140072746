package artifact.spring.telemetry;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** All counts of the parts of this mode since the start, as one JSON object. */
@RestController
public class CountersController {

    private final ObjectProvider<CounterSource> sources;

    CountersController(ObjectProvider<CounterSource> sources) {
        this.sources = sources;
    }

    @GetMapping("/counters")
    Map<String, Number> counters() {
        Map<String, Number> all = new TreeMap<>();
        sources.forEach(source -> all.putAll(source.counters()));
        return all;
    }
}
