package artifact.spring;

import static java.util.Map.entry;

import artifact.stacks.common.Options;
import artifact.stacks.common.Options.Kind;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The options of this application: those that application.properties hands on to Spring, and those of
 * its own parts, which are not there unless their option is given. Spring would ignore a name that it
 * does not know.
 */
final class Words {

    /** {@code ${threads:200}}: an option and its default. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([a-z-]+):([^}]+)}");

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            entry("address", new Kind("[0-9.]+", "an IPv4 address of this machine")),
            entry("threads", Kind.COUNT),
            entry("pool", Kind.COUNT),
            entry("max-connections", Kind.LIMIT),
            entry("keep-alive-requests", Kind.LIMIT),
            entry("permits", Kind.COUNT),
            entry("virtual-threads", Kind.COUNT),
            entry("beyond-permits", Kind.oneOf("wait", "answer-503", "close")),
            entry("body-bytes", Kind.COUNT),
            entry("buffer-bytes", Kind.COUNT),
            entry("long-threads", Kind.COUNT),
            entry("long-yields-us", Kind.COUNT),
            entry("long-rests-ms", Kind.COUNT),
            entry("client", Kind.oneOf("blocking", "pooled", "worker-threads", "event-loop")),
            entry("lock", Kind.oneOf("synchronized", "reentrant", "shared")),
            entry("appender", Kind.oneOf("file", "asynchronous")),
            entry("as-published", Kind.SWITCH),
            entry("http-client", Kind.oneOf("apache", "reactor", "jdk", "boot")),
            entry("states-every-ms", Kind.COUNT),
            entry("count-pinned", Kind.SWITCH));

    private Words() {}

    /** @throws IllegalArgumentException naming the argument and what is allowed */
    static Options parse(String... arguments) {
        Map<String, String> defaults = new HashMap<>(Map.of(
                "client-connections", "10000",
                "control-percent", "0",
                "beyond-permits", "wait",
                "permit-wait-ms", "0",
                "fair-permits", "true",
                "response-timeout", "true"));
        Matcher placeholder = PLACEHOLDER.matcher(properties());
        while (placeholder.find()) {
            defaults.putIfAbsent(placeholder.group(1), placeholder.group(2));
        }
        return Options.parse(arguments, defaults, KINDS);
    }

    private static String properties() {
        try (InputStream file = Words.class.getResourceAsStream("/application.properties")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
