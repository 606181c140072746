package artifact.sockets.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    @ParameterizedTest
    @CsvSource({
        "FixedPool, --port=65536, 0 to 65535",
        "FixedPool, --backlog=many, 1 to 1000000",
        "FixedPool, --read-timeout-ms=0, 1 to 3600000",
        "FixedPool, --stop-timeout-ms=, 1 to 3600000",
        "FixedPool, --core-threads=21, from --core-threads",
        "FixedPool, --threads=1.5, 1 to 1000000",
        "FixedPool, --queue=0, 1 to 1000000",
        "EventLoop, --loops=0, 1 to 1000000",
        // The published programs have no backlog to set.
        "ThreadPerRequestAsPublished, --backlog=4096, Unknown option",
        "FixedPoolAsPublished, --backlog=4096, Unknown option"
    })
    void aWrongOptionIsNamedWithWhatIsAllowed(String mode, String option, String allowed) throws Exception {
        String[] words = option.split("=", -1);
        assertEnds(2, Class.forName("artifact.sockets.mode." + mode), option, words[0], words[1], allowed);
    }

    @ParameterizedTest
    @ValueSource(classes = {FixedPool.class, EventLoop.class, FixedPoolAsPublished.class})
    void aPortThatIsTakenIsNamed(Class<?> mode) throws Exception {
        try (ServerProcess first = ServerProcess.start(EventLoop.class)) {
            assertEnds(2, mode, "--port=" + first.port, "'--port': 127.0.0.1:" + first.port);
        }
    }

    @Test
    void helpTeaches() throws Exception {
        assertEnds(0, FixedPool.class, "--help", "a client gets 503", "127.0.0.1");
    }

    private static void assertEnds(int status, Class<?> mode, String option, String... words) throws Exception {
        Process process = new ProcessBuilder(ServerProcess.java(List.of(), mode, option))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertEquals(status, process.waitFor(), said);
        for (String word : words) {
            assertTrue(said.contains(word), said);
        }
    }
}
