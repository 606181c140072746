package artifact.sockets.handler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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

    @Test
    void drawsEachNumberOfARangeForOneRequestAfterTheOther() {
        long[] drawn = IntStream.range(0, 21_000)
                .mapToLong(request -> WorkQuery.parse("sleep_ms=10-30&cpu_us=0").sleepMs())
                .toArray();
        long[] times = IntStream.rangeClosed(10, 30)
                .mapToLong(ms -> LongStream.of(drawn).filter(each -> each == ms).count())
                .toArray();
        assertEquals(drawn.length, LongStream.of(times).sum());
        // Seven standard deviations, of 31 requests a number and 0.042 ms of the mean.
        assertTrue(LongStream.of(times).allMatch(count -> Math.abs(count - 1000) < 220), Arrays.toString(times));
        assertEquals(20, LongStream.of(drawn).average().orElseThrow(), 0.3);
        assertEquals(new Work(5, 20), WorkQuery.parse("sleep_ms=20-20&cpu_us=5"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep_ms=-1", "sleep_ms=x", "sleep_ms=", "sleep_ms", "sleep_ms=1.5", "sleep_ms=60001", "sleep_ms=%31",
                "sleep_ms=30-10", "sleep_ms=10-", "sleep_ms=-10-30", "sleep_ms=1-2-3", "sleep_ms=10-60001", "cpu_us=1-2",
                "cpu_us=10000001", "cpu_us=99999999999999999999", "sleep_ms=1&sleep_ms=1", "sleep=1", "&", "sleep_ms=1&"
            })
    void refusesAnythingElseAndSaysWhatIsAllowed(String query) {
        var refused = assertThrows(IllegalArgumentException.class, () -> WorkQuery.parse(query));
        assertTrue(refused.getMessage().matches("(sleep_ms|cpu_us) is a whole number from 0 to .*|the query is .*"));
    }
}
