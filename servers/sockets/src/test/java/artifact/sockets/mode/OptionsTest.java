package artifact.sockets.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    @ParameterizedTest
    @CsvSource({
        "FixedPool, --threads=many, --threads",
        "FixedPool, --core-threads=21, --threads is at least --core-threads",
        // The published programs have no backlog to set.
        "ThreadPerRequestAsPublished, --backlog=4096, Unknown option",
        "FixedPoolAsPublished, --backlog=4096, Unknown option"
    })
    void aWrongOptionIsNamedBeforeAnythingListens(String mode, String option, String reason) throws Exception {
        Class<?> named = Class.forName("artifact.sockets.mode." + mode);
        Process process = new ProcessBuilder(ServerProcess.java(List.of(), named, option))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertEquals(2, process.waitFor(), said);
        assertTrue(said.contains(reason), said);
    }
}
