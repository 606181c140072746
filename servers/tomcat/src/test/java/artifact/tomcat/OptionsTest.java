package artifact.tomcat;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mode that was misspelt does not start, and says why. */
class OptionsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --remote.client=async          | remote.client is one of blocking, pooled, worker-threads, event-loop, not async
            --remote.client=Blocking       | remote.client is one of blocking, pooled, worker-threads, event-loop, not Blocking
            --remote.url=127.0.0.1:80      | remote.url is a URL that begins with http://, not 127.0.0.1:80
            --lock.kind=none               | lock.kind is one of synchronized, reentrant, not none
            --requests.permits=0           | requests.permits is a whole number from 1, not 0
            --thread-states.every-ms=100ms | thread-states.every-ms is a whole number from 1, not 100ms
            --pinning.count=yes            | pinning.count is true or false, not yes
            --lock.kind                    | --lock.kind is not of the form --property=value
            lock.kind=reentrant            | lock.kind=reentrant is not of the form --property=value
            """)
    void refusesAValueThatNothingGoesBy(String argument, String reason) {
        assertEquals(reason, assertThrows(IllegalArgumentException.class, () -> Options.check(argument)).getMessage());
    }

    @Test
    void refusesAPropertyThatIsNoneAndNamesThoseThereAre() {
        String reason = assertThrows(IllegalArgumentException.class, () -> Options.check("--remote.cleint=blocking"))
                .getMessage();
        assertTrue(reason.startsWith("remote.cleint is no property; there are address, lock.kind, "), reason);
        assertTrue(reason.endsWith("begin with server., spring., logging."), reason);
    }

    @Test
    void leavesSpringsOwnToSpring() {
        assertDoesNotThrow(() -> Options.check(
                "--port=0",
                "--pinning.count=True",
                "--spring.threads.virtual.enabled=true",
                "--server.tomcat.threads.max=50"));
    }
}
