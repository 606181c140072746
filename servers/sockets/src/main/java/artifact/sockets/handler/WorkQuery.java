package artifact.sockets.handler;

import module java.base;

/**
 * The query of {@code /work}: {@code sleep_ms} and {@code cpu_us}, each at most once, 0 when absent.
 * {@code sleep_ms=10-30} draws one of these 21 numbers for each request, all equally likely, so that
 * requests that start together do not end together. Whole milliseconds are what an event loop's timer has.
 */
final class WorkQuery {

    private static final Map<String, Long> LIMITS =
            Map.of("sleep_ms", Work.MAX_SLEEP_MS, "cpu_us", Work.MAX_CPU_US);
    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,18})");
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})");

    private WorkQuery() {}

    /** @throws IllegalArgumentException naming the parameter, its value and what is allowed */
    static Work parse(String query) {
        Map<String, Long> values = new HashMap<>();
        for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            if (!LIMITS.containsKey(parts[0]) || parts.length < 2 || values.containsKey(parts[0])) {
                throw new IllegalArgumentException("the query is sleep_ms=N&cpu_us=N, each at most once, not " + query);
            }
            values.put(parts[0], number(parts[0], parts[1]));
        }
        return new Work(values.getOrDefault("cpu_us", 0L), values.getOrDefault("sleep_ms", 0L));
    }

    private static long number(String name, String text) {
        boolean mayVary = name.equals("sleep_ms");
        Matcher found = (mayVary && text.contains("-") ? RANGE : NUMBER).matcher(text);
        long least = found.matches() ? Long.parseLong(found.group(1)) : -1;
        long most = least < 0 ? -1 : Long.parseLong(found.group(found.groupCount()));
        if (least < 0 || least > most || most > LIMITS.get(name)) {
            String range = mayVary ? ", or a range of them as 10-30" : "";
            throw new IllegalArgumentException(
                    name + " is a whole number from 0 to " + LIMITS.get(name) + range + ", not " + text);
        }
        return least == most ? least : ThreadLocalRandom.current().nextLong(least, most + 1);
    }
}
