package artifact.stacks.common;

import artifact.stacks.common.Options.Kind;
import java.util.HashMap;
import java.util.Map;

/**
 * The limits of a stack. A limit has the same name and the same default in every stack, and each stack
 * sets it explicitly: no default of a framework decides.
 */
public final class StackOptions {

    private static final Map<String, String> LIMITS = Map.of(
            "port", "8080",
            "backlog", "4096", // connections that wait to be accepted
            "max-connections", "-1",
            "keep-alive-requests", "-1", // before a connection is closed
            "idle-timeout-s", "300", // of a connection
            "header-bytes", "8192", // of a request
            "body-bytes", "16384", // of a request
            "pool", "10", // connections to the database
            "client-connections", "500"); // to the remote

    private static final Map<String, Kind> KINDS =
            Map.of("max-connections", Kind.NO_LIMIT, "keep-alive-requests", Kind.NO_LIMIT);

    private StackOptions() {}

    /**
     * @param own options of this stack alone, with their defaults
     * @throws IllegalArgumentException naming the argument and what is allowed
     */
    public static Options parse(String[] arguments, Map<String, String> own) {
        Map<String, String> defaults = new HashMap<>(LIMITS);
        defaults.putAll(own);
        return Options.parse(arguments, defaults, KINDS);
    }
}
