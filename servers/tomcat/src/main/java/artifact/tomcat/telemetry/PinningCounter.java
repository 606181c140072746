package artifact.tomcat.telemetry;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordingStream;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/**
 * Counts how often, and for how long, a virtual thread blocked without leaving its carrier: JFR's
 * event jdk.VirtualThreadPinned, of any length (its default threshold of 20 ms hides the most).
 */
@ConditionalOnBooleanProperty("pinning.count")
public class PinningCounter implements CounterSource, AutoCloseable {

    private static final int FLUSH_LIMIT_S = 10;

    private final LongAdder pinned = new LongAdder();
    private final LongAdder pinnedNs = new LongAdder();
    private final Queue<CountDownLatch> awaited = new ConcurrentLinkedQueue<>();
    private final RecordingStream events = new RecordingStream();

    /** Comes through the stream after all that happened before it. */
    @Name("artifact.Marker")
    @StackTrace(false)
    private static final class Marker extends Event {}

    PinningCounter() {
        events.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withoutStackTrace();
        events.enable(Marker.class);
        events.onEvent("jdk.VirtualThreadPinned", event -> {
            pinned.increment();
            pinnedNs.add(event.getDuration().toNanos());
        });
        events.onEvent("artifact.Marker", event -> awaited.remove().countDown());
        events.startAsync();
    }

    /** JFR hands its events on once a second, so this takes up to a second. */
    @Override
    public Map<String, Number> counters() {
        CountDownLatch seen = new CountDownLatch(1);
        awaited.add(seen);
        new Marker().commit();
        try {
            if (!seen.await(FLUSH_LIMIT_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("JFR handed on no event for " + FLUSH_LIMIT_S + " s");
            }
        } catch (InterruptedException stopped) {
            throw new IllegalStateException("stopped while JFR's events were waited for", stopped);
        }
        return Map.of("pinned", pinned.sum(), "pinned_ms", pinnedNs.sum() / 1e6);
    }

    @Override
    public void close() {
        events.close();
    }
}
