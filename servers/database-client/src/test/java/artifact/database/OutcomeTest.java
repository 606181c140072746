package artifact.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomeTest {

    @ParameterizedTest
    @CsvSource({"5, 5, 5, 5, 1.0", "7, 0, 0, 0, 0.25", "1, 1, 0, 0, 0.5", "0, 0, 0, 0, 0.0"})
    void fairnessIsJains(long a, long b, long c, long d, double expected) {
        assertEquals(expected, Outcome.fairness(a, b, c, d), 1e-12);
    }

    @Test
    void aWindowHoldsItsStartAndNotItsEnd() {
        Window window = new Window(100, 200);
        assertEquals("false true true false", String.join(
                " ",
                String.valueOf(window.holds(99)),
                String.valueOf(window.holds(100)),
                String.valueOf(window.holds(199)),
                String.valueOf(window.holds(200))));
    }
}
