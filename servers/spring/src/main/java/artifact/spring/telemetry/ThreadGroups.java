package artifact.spring.telemetry;

import java.util.List;

/** Which pool a thread belongs to: by the 15 characters of its name that the kernel keeps, so that both views agree. */
final class ThreadGroups {

    private record Group(String namePrefix, String name) {}

    private static final List<Group> GROUPS = List.of(
            new Group("http-nio-exec-", "http-nio-exec"),
            new Group("http-nio-Poller", "http-nio-poller"),
            new Group("http-nio-Accept", "http-nio-acceptor"),
            new Group("worker-", "worker"),
            new Group("reactor-http-", "reactor-http"),
            new Group("ForkJoinPool-1-", "carrier"));

    private ThreadGroups() {}

    static String of(String name) {
        for (Group group : GROUPS) {
            if (name.startsWith(group.namePrefix)) {
                return group.name;
            }
        }
        return "jvm";
    }
}
