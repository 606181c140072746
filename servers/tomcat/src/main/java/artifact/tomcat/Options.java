package artifact.tomcat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The properties that make a mode, and what each may be. Spring ignores a name that it does not know
 * and a value that no class goes by; here either ends the start, or something else would be measured
 * than was meant.
 */
final class Options {

    private record Allowed(String pattern, String inWords) {

        static Allowed oneOf(String... values) {
            return new Allowed(String.join("|", values), "one of " + String.join(", ", values));
        }
    }

    private static final Allowed COUNT = new Allowed("[1-9][0-9]{0,8}", "a whole number from 1");
    private static final Allowed SWITCH = new Allowed("(?i)true|false", "true or false");
    private static final Map<String, Allowed> OWN = new TreeMap<>(Map.of(
            "address", new Allowed("[0-9.]+", "an IPv4 address of this machine"),
            "port", new Allowed("[0-9]{1,5}", "a number from 0 to 65535"),
            "remote.client", Allowed.oneOf("blocking", "pooled", "worker-threads", "event-loop"),
            "remote.url", new Allowed("http://.+", "a URL that begins with http://"),
            "lock.kind", Allowed.oneOf("synchronized", "reentrant"),
            "registration.as-published", SWITCH,
            "requests.permits", COUNT,
            "thread-states.every-ms", COUNT,
            "pinning.count", SWITCH));
    private static final List<String> OF_SPRING = List.of("server.", "spring.", "logging.");

    private Options() {}

    /** @throws IllegalArgumentException naming the argument and what it may be */
    static void check(String... arguments) {
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            if (!argument.startsWith("--") || parts.length < 2) {
                throw new IllegalArgumentException(argument + " is not of the form --property=value");
            }
            check(parts[0].substring(2), parts[1]);
        }
    }

    private static void check(String property, String value) {
        if (OF_SPRING.stream().anyMatch(property::startsWith)) {
            return;
        }
        Allowed allowed = OWN.get(property);
        if (allowed == null) {
            throw new IllegalArgumentException(property + " is no property; there are "
                    + String.join(", ", OWN.keySet()) + " and those that begin with " + String.join(", ", OF_SPRING));
        }
        if (!value.matches(allowed.pattern)) {
            throw new IllegalArgumentException(property + " is " + allowed.inWords + ", not " + value);
        }
    }
}
