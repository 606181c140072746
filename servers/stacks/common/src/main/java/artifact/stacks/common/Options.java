package artifact.stacks.common;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of a stack on its command line, {@code --name=value}. A limit has the same name and the
 * same default in every stack, and each stack sets it explicitly: no default of a framework decides.
 */
public final class Options {

    /** As the backends name what they offer; the password of the database is in the environment. */
    private static final List<String> BACKENDS =
            List.of("remote.url", "spring.datasource.url", "spring.datasource.username");

    private static final Map<String, String> LIMITS = Map.of(
            "backlog", "4096", // connections that wait to be accepted
            "idle-timeout-s", "300", // of a connection, which is kept for any number of requests
            "header-bytes", "8192", // of a request
            "body-bytes", "16384", // of a request
            "pool", "10", // connections to the database
            "client-connections", "500"); // to the remote

    private final Map<String, String> values = new TreeMap<>(LIMITS);

    private Options() {}

    /**
     * @param own of this stack alone, with their defaults
     * @throws IllegalArgumentException naming an argument that is no option of the stack
     */
    public static Options parse(String[] arguments, Map<String, String> own) {
        Options options = new Options();
        options.values.put("port", "8080");
        options.values.putAll(own);
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            String name = parts[0].replaceFirst("^--", "");
            if (parts.length < 2 || !(options.values.containsKey(name) || BACKENDS.contains(name))) {
                throw new IllegalArgumentException(argument + " is not --name=value with one of "
                        + String.join(", ", options.values.keySet()) + ", " + String.join(", ", BACKENDS));
            }
            options.values.put(name, parts[1]);
        }
        return options;
    }

    public int number(String name) {
        return Integer.parseInt(text(name));
    }

    public boolean on(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /** Where to ask: the remote's own page, with another query if there is one. */
    public URI remote(String query) {
        String url = text("remote.url");
        return URI.create(query == null || query.isEmpty() ? url : url.split("\\?")[0] + "?" + query);
    }

    public DatabaseAddress database() {
        return DatabaseAddress.of(text("spring.datasource.url"), text("spring.datasource.username"));
    }

    /** What {@code GET /limits} shows: all that is set, but for the addresses. */
    public Answer limits() {
        Map<String, String> shown = new TreeMap<>(values);
        shown.keySet().removeAll(BACKENDS);
        return Answer.json(200, shown);
    }

    private String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no --" + name);
        }
        return value;
    }
}
