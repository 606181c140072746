package artifact.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.NestedExceptionUtils;

/** A mode that was misspelt does not start, and says why. */
class OptionsTest {

    @ParameterizedTest
    @ValueSource(strings = {"--remote.cleint=blocking", "--permits=50", "remote.client=blocking", "--remote.client"})
    void refusesAnArgumentThatIsNoProperty(String argument) {
        String message = assertThrows(IllegalArgumentException.class, () -> Application.start(argument))
                .getMessage();
        assertTrue(message.startsWith(argument), message);
        assertTrue(message.contains("remote.client, remote.url"), message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            remote.client          | async  | blocking, worker-threads, event-loop
            lock.kind              | none   | synchronized, reentrant
            requests.permits       | 0      | whole numbers from 1
            thread-states.every-ms | 100 ms | whole numbers from 1
            """)
    void refusesAValueThatNothingGoesBy(String property, String value, String allowed) {
        Exception failure = assertThrows(
                Exception.class,
                () -> App.start("--" + property + "=" + value, "--logging.level.root=off").close());
        InvalidConfigurationPropertyValueException refusal = assertInstanceOf(
                InvalidConfigurationPropertyValueException.class, NestedExceptionUtils.getMostSpecificCause(failure));
        assertEquals(property, refusal.getName());
        assertEquals(value, refusal.getValue());
        assertTrue(refusal.getReason().contains(allowed), refusal.getReason());
    }
}
