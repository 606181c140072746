package artifact.sockets.handler;

import java.util.HashMap;
import java.util.Map;

/** The query of {@code /work}: {@code sleep_ms} and {@code cpu_us}, each at most once, 0 when left out. */
final class WorkQuery {

    private static final Map<String, Long> LIMITS =
            Map.of("sleep_ms", Work.MAX_SLEEP_MS, "cpu_us", Work.MAX_CPU_US);

    private WorkQuery() {}

    /** @throws IllegalArgumentException naming the parameter, its value and what is allowed */
    static Work parse(String query) {
        Map<String, Long> values = new HashMap<>();
        for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            Long limit = LIMITS.get(parts[0]);
            if (limit == null || parts.length < 2 || values.containsKey(parts[0])) {
                throw new IllegalArgumentException("the query is sleep_ms=N&cpu_us=N, each at most once, not " + query);
            }
            values.put(parts[0], number(parts[0], parts[1], limit));
        }
        return new Work(values.getOrDefault("cpu_us", 0L), values.getOrDefault("sleep_ms", 0L));
    }

    private static long number(String name, String text, long limit) {
        if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) > limit) {
            throw new IllegalArgumentException(name + " is a whole number from 0 to " + limit + ", not " + text);
        }
        return Long.parseLong(text);
    }
}
