import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordingFile;

/**
 * Events of a JFR recording that begin within a window, by type: how many, and how long they last.
 *
 * <pre>java Events.java events.jfr FROM_MS TO_MS > events.csv</pre>
 */
final class Events {
    public static void main(String[] arguments) throws Exception {
        var from = Instant.ofEpochMilli(Long.parseLong(arguments[1]));
        var to = Instant.ofEpochMilli(Long.parseLong(arguments[2]));
        Map<String, Sum> sums = new TreeMap<>();
        try (var recording = new RecordingFile(Path.of(arguments[0]))) {
            while (recording.hasMoreEvents()) {
                var event = recording.readEvent();
                if (!event.getStartTime().isBefore(from) && event.getStartTime().isBefore(to)) {
                    sums.computeIfAbsent(event.getEventType().getName(), name -> new Sum())
                            .add(event.getDuration());
                }
            }
        }
        System.out.println("event,count,total_ms,longest_ms");
        sums.forEach((event, sum) -> System.out.printf("%s,%d,%.3f,%.3f%n", event, sum.count, sum.total / 1e6, sum.longest / 1e6));
    }

    private static final class Sum {
        long count;
        long total;
        long longest;

        void add(Duration lasted) {
            count++;
            total += lasted.toNanos();
            longest = Math.max(longest, lasted.toNanos());
        }
    }
}
