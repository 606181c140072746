package artifact.database;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomeTest {

    @ParameterizedTest
    @CsvSource({"5, 5, 5, 5, 1.0", "1, 1, 0, 0, 0.5", "0, 0, 0, 0, 0.0"})
    void fairnessIsJains(long a, long b, long c, long d, double expected) {
        assertEquals(expected, Outcome.fairness(a, b, c, d), 1e-12);
    }

    @Test
    void aWindowHoldsItsStartAndNotItsEnd() {
        Window window = new Window(100, 200);
        long[] held = LongStream.of(99, 100, 199, 200).filter(window::holds).toArray();
        assertArrayEquals(new long[] {100, 199}, held);
    }
}
