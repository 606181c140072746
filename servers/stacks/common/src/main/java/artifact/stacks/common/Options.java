package artifact.stacks.common;

import java.net.URI;
import java.util.*;

/**
 * The options of a server on its command line, {@code --name=value}. A wrong one ends the start:
 * otherwise something else would be measured than was meant.
 */
public final class Options {

    public record Kind(String pattern, String inWords) {

        public static final Kind COUNT = new Kind("[1-9][0-9]{0,8}", "a whole number from 1");
        public static final Kind LIMIT = new Kind("-1|[1-9][0-9]{0,8}", "a whole number from 1, or -1 for no limit");
        public static final Kind NO_LIMIT = new Kind("-1", "-1, since this server has no such limit");
        public static final Kind SWITCH = new Kind("(?i)true|false", "true or false");
        private static final Kind NUMBER = new Kind("[0-9]{1,9}", "a whole number");
        private static final Kind TEXT = new Kind("(?s).+", "not empty");

        public static Kind oneOf(String... values) {
            return new Kind(String.join("|", values), "one of " + String.join(", ", values));
        }

        private static Kind like(String value) {
            return List.of(NUMBER, SWITCH).stream()
                    .filter(kind -> value.matches(kind.pattern))
                    .findFirst()
                    .orElse(TEXT);
        }
    }

    /** Addresses of backends, by the names that these have for them; the database's password is in the environment. */
    private static final Map<String, Kind> BACKENDS = Map.of(
            "remote.url", new Kind("http://.+", "a URL that begins with http://"),
            "spring.datasource.url", new Kind("jdbc:.+", "a URL that begins with jdbc:"),
            "spring.datasource.username", Kind.TEXT);

    private final Map<String, Kind> kinds = new TreeMap<>(BACKENDS);
    private final Map<String, String> values;

    private Options(Map<String, String> defaults, Map<String, Kind> kinds) {
        defaults.forEach((name, value) -> this.kinds.put(name, Kind.like(value)));
        this.kinds.putAll(kinds);
        values = new TreeMap<>(defaults);
    }

    /**
     * @param defaults of options that always have a value, whose kind is the value's unless {@code kinds} has another
     * @param kinds of options that may have no value, too
     * @throws IllegalArgumentException naming the argument and what is allowed
     */
    public static Options parse(String[] arguments, Map<String, String> defaults, Map<String, Kind> kinds) {
        Options options = new Options(defaults, kinds);
        for (String argument : arguments) {
            options.take(argument);
        }
        return options;
    }

    private void take(String argument) {
        String[] parts = argument.split("=", 2);
        if (!argument.startsWith("--") || parts.length < 2) {
            throw new IllegalArgumentException(argument + " is not of the form --name=value");
        }
        String name = parts[0].substring(2);
        Kind kind = kinds.get(name);
        if (kind == null) {
            throw new IllegalArgumentException(name + " is no option; there are " + String.join(", ", kinds.keySet()));
        }
        if (!parts[1].matches(kind.pattern)) {
            throw new IllegalArgumentException(name + " is " + kind.inWords + ", not " + parts[1]);
        }
        values.put(name, parts[1]);
    }

    public int number(String name) {
        return Integer.parseInt(text(name));
    }

    public boolean on(String name) {
        return Boolean.parseBoolean(text(name));
    }

    public boolean is(String name, String value) {
        return text(name).equals(value);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The remote's own page, with another query if there is one. */
    public URI remote(String query) {
        String url = text("remote.url");
        return URI.create(query == null || query.isEmpty() ? url : url.split("\\?")[0] + "?" + query);
    }

    public DatabaseAddress database() {
        return DatabaseAddress.of(text("spring.datasource.url"), text("spring.datasource.username"));
    }

    /** {@code GET /limits}: every option that has a value, but for addresses of backends. */
    public Answer limits() {
        Map<String, String> shown = new TreeMap<>(values);
        shown.keySet().removeAll(BACKENDS.keySet());
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
