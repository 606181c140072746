package artifact.spring.telemetry;

import java.util.Map;

/** Which pool a thread belongs to: by the 15 characters of its name that the kernel keeps, so that both views agree. */
final class ThreadGroups {

    private static final Map<String, String> NAMES_BY_PREFIX = Map.of(
            "http-nio-exec-", "http-nio-exec",
            "http-nio-Poller", "http-nio-poller",
            "http-nio-Accept", "http-nio-acceptor",
            "worker-", "worker",
            "reactor-http-", "reactor-http",
            "ForkJoinPool-1-", "carrier");

    private ThreadGroups() {}

    static String of(String name) {
        for (Map.Entry<String, String> group : NAMES_BY_PREFIX.entrySet()) {
            if (name.startsWith(group.getKey())) {
                return group.getValue();
            }
        }
        return "jvm";
    }
}
