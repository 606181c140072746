package artifact.spring;

import artifact.stacks.common.Options;
import artifact.stacks.common.Options.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
            Map.entry("address", new Kind("[0-9.]+", "an IPv4 address of this machine")),
            Map.entry("threads", Kind.COUNT),
            Map.entry("pool", Kind.COUNT),
            Map.entry("max-connections", Kind.LIMIT),
            Map.entry("keep-alive-requests", Kind.LIMIT),
            Map.entry("permits", Kind.COUNT),
            Map.entry("fair-permits", Kind.SWITCH),
            Map.entry("permit-wait-ms", Kind.COUNT),
            Map.entry("virtual-threads", Kind.COUNT),
            Map.entry("beyond-permits", Kind.oneOf("wait", "answer-503", "close")),
            Map.entry("body-bytes", Kind.COUNT),
            Map.entry("buffer-bytes", Kind.COUNT),
            Map.entry("long-threads", Kind.COUNT),
            Map.entry("long-yields-us", Kind.COUNT),
            Map.entry("long-rests-ms", Kind.COUNT),
            Map.entry("client", Kind.oneOf("blocking", "pooled", "worker-threads", "event-loop")),
            Map.entry("lock", Kind.oneOf("synchronized", "reentrant", "shared")),
            Map.entry("appender", Kind.oneOf("file", "asynchronous")),
            Map.entry("as-published", Kind.SWITCH),
            Map.entry("http-client", Kind.oneOf("apache", "reactor", "jdk", "boot")),
            Map.entry("response-timeout", Kind.SWITCH),
            Map.entry("states-every-ms", Kind.COUNT),
            Map.entry("count-pinned", Kind.SWITCH));

    private Words() {}

    /** @throws IllegalArgumentException naming the argument and what is allowed */
    static Options parse(String... arguments) {
        Map<String, String> defaults = new HashMap<>(
                Map.of(
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
