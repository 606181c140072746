package artifact.tomcat;

import java.util.Set;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/**
 * The properties that make a mode. Spring ignores a name that it does not know and a value that no
 * class goes by; here either ends the start, or something else would be measured than was meant.
 */
public final class Options {

    private static final Set<String> OWN = Set.of(
            "port",
            "remote.client",
            "remote.url",
            "lock.kind",
            "registration.as-published",
            "requests.permits",
            "thread-states.every-ms",
            "pinning.count");

    private Options() {}

    /** @throws IllegalArgumentException naming the argument and the properties there are */
    static void requireKnown(String... args) {
        for (String arg : args) {
            if (!arg.startsWith("--") || !arg.contains("=") || !isKnown(arg.substring(2, arg.indexOf('=')))) {
                throw new IllegalArgumentException(arg + " is no --property=value with a property of Spring (server.…,"
                        + " spring.…, logging.…) or one of " + OWN.stream().sorted().toList());
            }
        }
    }

    /** @throws InvalidConfigurationPropertyValueException naming the property, its value and those allowed */
    public static void requireOneOf(Environment environment, String property, String... allowed) {
        String value = environment.getRequiredProperty(property);
        if (!Set.of(allowed).contains(value)) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "Allowed are " + String.join(", ", allowed) + ".");
        }
    }

    /** @throws InvalidConfigurationPropertyValueException naming the property, its value and those allowed */
    public static int count(Environment environment, String property) {
        String value = environment.getRequiredProperty(property);
        if (!value.matches("[1-9][0-9]{0,8}")) {
            throw new InvalidConfigurationPropertyValueException(
                    property, value, "Allowed are whole numbers from 1 to 999999999.");
        }
        return Integer.parseInt(value);
    }

    private static boolean isKnown(String property) {
        return OWN.contains(property)
                || Stream.of("server.", "spring.", "logging.").anyMatch(property::startsWith);
    }
}
