package artifact.sockets.handler;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkQueryTest {

    @Test
    void readsBothInEitherOrderAndNoneAsNothing() {
        assertEquals(Work.NONE, WorkQuery.parse(""));
        assertEquals(new Work(5, 20), WorkQuery.parse("sleep_ms=20-20&cpu_us=5"));
        assertEquals(new Work(Work.MAX_CPU_US, Work.MAX_SLEEP_MS), WorkQuery.parse("cpu_us=10000000&sleep_ms=60000"));
    }

    @Test
    void drawsEachNumberOfARangeForOneRequestAfterTheOther() {
        Map<Long, Long> times = LongStream.generate(() -> WorkQuery.parse("sleep_ms=10-30").sleepMs())
                .limit(21_000)
                .boxed()
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertEquals(LongStream.rangeClosed(10, 30).boxed().collect(Collectors.toSet()), times.keySet());
        // Seven standard deviations of 31 requests.
        assertTrue(times.values().stream().allMatch(count -> Math.abs(count - 1000) < 220), times::toString);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep_ms=-1", "sleep_ms=x", "sleep_ms=", "sleep_ms", "sleep_ms=60001", "sleep_ms=30-10", "sleep_ms=10-",
                "sleep_ms=1-2-3", "sleep_ms=10-60001", "cpu_us=1-2", "cpu_us=10000001", "cpu_us=99999999999999999999",
                "sleep_ms=1&sleep_ms=1", "sleep=1", "sleep_ms=1&"
            })
    void refusesAnythingElseAndSaysWhatIsAllowed(String query) {
        var refused = assertThrows(IllegalArgumentException.class, () -> WorkQuery.parse(query));
        assertTrue(refused.getMessage().matches("(sleep_ms|cpu_us) is a whole number from 0 to .*|the query is .*"));
    }
}
