package artifact.sockets.handler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkQueryTest {

    @Test
    void readsBothInEitherOrderAndNoneAsNothing() {
        assertEquals(Work.NONE, WorkQuery.parse(""));
        assertEquals(new Work(0, 100), WorkQuery.parse("sleep_ms=100"));
        assertEquals(new Work(5, 100), WorkQuery.parse("sleep_ms=100&cpu_us=5"));
        assertEquals(new Work(5, 100), WorkQuery.parse("cpu_us=5&sleep_ms=100"));
        assertEquals(new Work(Work.MAX_CPU_US, Work.MAX_SLEEP_MS), WorkQuery.parse("cpu_us=10000000&sleep_ms=60000"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep_ms=-1", "sleep_ms=x", "sleep_ms=", "sleep_ms", "sleep_ms=1.5", "sleep_ms=60001", "sleep_ms=%31",
                "cpu_us=10000001", "cpu_us=99999999999999999999", "sleep_ms=1&sleep_ms=1", "sleep=1", "&", "sleep_ms=1&"
            })
    void refusesAnythingElseAndSaysWhatIsAllowed(String query) {
        var refused = assertThrows(IllegalArgumentException.class, () -> WorkQuery.parse(query));
        assertTrue(refused.getMessage().matches("(sleep_ms|cpu_us) is a whole number from 0 to .*|the query is .*"));
    }
}
