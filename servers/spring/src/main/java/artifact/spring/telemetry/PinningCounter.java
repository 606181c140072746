package artifact.spring.telemetry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/**
 * Counts how often, and for how long, a virtual thread blocked without leaving its carrier: JFR's
 * event jdk.VirtualThreadPinned, of any length (its default threshold of 20 ms hides the most).
 *
 * <p>It counts all the while. A thread that is not pinned writes nothing; one that is writes some 30
 * bytes into a buffer of its own, after a wait that is a thousand times longer. Nothing reads events
 * while requests are served, as a stream of them would: {@link #counters} does, between two loads.
 */
@ConditionalOnBooleanProperty("count-pinned")
public class PinningCounter implements CounterSource, AutoCloseable {

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private Recording recording = begin();
    private long pinned;
    private long pinnedNs;

    /** Exact: all that ended before the call. */
    @Override
    public synchronized Map<String, Number> counters() {
        // Begun before the other ends, or JFR would stop as a whole and miss what happens between.
        Recording next = begin();
        try (Recording ended = recording) {
            recording = next;
            ended.stop();
            add(ended, next);
        }
        return Map.of("pinned", pinned, "pinned_ms", pinnedNs / 1e6);
    }

    @Override
    public synchronized void close() {
        recording.close();
    }

    private static Recording begin() {
        Recording recording = new Recording();
        recording.enable(PINNED).withThreshold(Duration.ZERO).withoutStackTrace();
        recording.start();
        return recording;
    }

    /** Leaves events that both recordings hold to the next. */
    private void add(Recording ended, Recording next) {
        try {
            Path file = Files.createTempFile("pinned", ".jfr");
            try {
                ended.dump(file);
                for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
                    boolean isPinned = event.getEventType().getName().equals(PINNED);
                    if (isPinned && event.getEndTime().isBefore(next.getStartTime())) {
                        pinned++;
                        pinnedNs += event.getDuration().toNanos();
                    }
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
