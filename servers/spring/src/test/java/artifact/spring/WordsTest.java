package artifact.spring;

import static org.junit.jupiter.api.Assertions.*;

import artifact.stacks.common.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mode that was misspelt does not start, and says why. */
class WordsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client=async", "remote.url=127.0.0.1:80", "address=localhost", "lock=Shared", "permits=0", "backlog=-1",
                "max-connections=0", "permit-wait-ms=100ms", "virtual=yes"
            })
    void refusesAValueThatAnOptionDoesNotTake(String option) {
        String[] words = option.split("=");
        String reason = reason("--" + option);
        assertTrue(reason.startsWith(words[0] + " is ") && reason.endsWith(", not " + words[1]), reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lock", "lock=reentrant"})
    void refusesAnArgumentOfAnotherForm(String argument) {
        assertEquals(argument + " is not of the form --name=value", reason(argument));
    }

    @Test
    void refusesAnOptionOfSpringAndNamesThoseThereAre() {
        String reason = reason("--server.tomcat.threads.max=50");
        assertTrue(reason.startsWith("server.tomcat.threads.max is no option; there are address, "), reason);
    }

    private static String reason(String argument) {
        return assertThrows(IllegalArgumentException.class, () -> Words.parse(argument)).getMessage();
    }

    @Test
    void defaultsAreThoseOfApplicationProperties() {
        Options options = Words.parse("--virtual=True", "--max-connections=-1");
        assertTrue(options.on("virtual"));
        assertEquals(-1, options.number("max-connections"));
        assertEquals(200, options.number("threads"));
        assertEquals(0, options.number("control-percent"));
        assertFalse(options.has("permits"));
    }
}
