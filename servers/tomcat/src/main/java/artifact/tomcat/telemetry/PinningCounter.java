package artifact.tomcat.telemetry;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.consumer.RecordingStream;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/**
 * Counts how often, and for how long, a virtual thread blocked without leaving its carrier: JFR's
 * event jdk.VirtualThreadPinned, of any length (its default threshold of 20 ms hides the most).
 *
 * <p>JFR hands events on once a second, so the counters are exact only after a stop.
 */
@ConditionalOnBooleanProperty("pinning.count")
public class PinningCounter implements CounterSource, Watcher, AutoCloseable {

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final LongAdder pinned = new LongAdder();
    private final LongAdder pinnedNs = new LongAdder();
    /** Null while this is off. */
    private RecordingStream events;

    @Override
    public synchronized void start() {
        if (events == null) {
            events = new RecordingStream();
            events.enable(PINNED).withThreshold(Duration.ZERO).withoutStackTrace();
            events.onEvent(PINNED, event -> {
                pinned.increment();
                pinnedNs.add(event.getDuration().toNanos());
            });
            events.startAsync();
        }
    }

    @Override
    public synchronized void stop() {
        if (events != null) {
            // Closing alone would drop the events of the last second.
            events.stop();
            events.close();
            events = null;
        }
    }

    @Override
    public Map<String, Number> counters() {
        return Map.of("pinned", pinned.sum(), "pinned_ms", pinnedNs.sum() / 1e6);
    }

    @Override
    public void close() {
        stop();
    }
}
