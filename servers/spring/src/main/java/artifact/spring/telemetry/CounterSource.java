package artifact.spring.telemetry;

import java.util.Map;

/** A part that counts something while it is there. */
public interface CounterSource {

    /** Numbers that only grow, since the start, by their names in {@code /counters}. */
    Map<String, Number> counters();
}
