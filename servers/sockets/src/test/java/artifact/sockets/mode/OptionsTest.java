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
        "--port=65536, 0 to 65535",
        "--backlog=many, 1 to 1000000",
        "--read-timeout-ms=0, 1 to 3600000",
        "--stop-timeout-ms=, 1 to 3600000",
        "--core-threads=21, from --core-threads",
        "--threads=1.5, 1 to 1000000",
        "--queue=0, 1 to 1000000",
        "--keep-alive-ms=-1, 0 to 1000000"
    })
    void aWrongValueIsNamedWithWhatIsAllowed(String option, String allowed) throws Exception {
        String value = option.substring(option.indexOf('=') + 1);
        assertEnds(2, FixedPool.class, option, allowed, value, "Invalid value for option '--");
    }

    @Test
    void anEventLoopServerHasALoopAtLeast() throws Exception {
        assertEnds(2, EventLoop.class, "--loops=0", "1 to 1000000");
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void thePublishedProgramsHaveNoBacklogToSet(Class<?> mode) throws Exception {
        assertEnds(2, mode, "--backlog=4096");
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
