package artifact.stacks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import module java.base;
import org.junit.jupiter.api.Test;

/** Refusals are in WordsTest; that a stack reads its options is in test_stacks.py. */
class OptionsTest {

    @Test
    void aStackHasNoLimitThatOthersLack() {
        String[] limit = {"--max-connections=8192"};
        assertThrows(IllegalArgumentException.class, () -> StackOptions.parse(limit, Map.of()));
        Options unlimited = StackOptions.parse(new String[] {"--max-connections=-1"}, Map.of());
        assertEquals(-1, unlimited.number("max-connections"));
    }
}
