package artifact.sockets.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    private record Ended(int status, String said) {}

    @ParameterizedTest
    @CsvSource({
        "--port=65536,         0 to 65535",
        "--port=-1,            0 to 65535",
        "--backlog=0,          1 to 1000000",
        "--backlog=many,       1 to 1000000",
        "--read-timeout-ms=0,  1 to 3600000",
        "--stop-timeout-ms=,   1 to 3600000",
        "--core-threads=21,    from --core-threads",
        "--threads=1.5,    1 to 1000000",
        "--queue=0,   1 to 1000000",
        "--keep-alive-ms=-1,   0 to 1000000"
    })
    void aWrongValueIsNamedWithWhatIsAllowed(String option, String allowed) throws Exception {
        Ended ended = run(FixedPool.class, option);
        assertEquals(2, ended.status);
        assertTrue(ended.said.contains(allowed), ended.said);
        assertTrue(ended.said.contains(option.substring(option.indexOf('=') + 1)), ended.said);
        assertTrue(ended.said.contains("Invalid value for option '--"), ended.said);
    }

    @Test
    void anEventLoopServerHasALoopAtLeast() throws Exception {
        Ended ended = run(EventLoop.class, "--loops=0");
        assertEquals(2, ended.status);
        assertTrue(ended.said.contains("1 to 1000000"), ended.said);
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPerRequestAsPublished.class, FixedPoolAsPublished.class})
    void thePublishedProgramsHaveNoBacklogToSet(Class<?> mode) throws Exception {
        assertEquals(2, run(mode, "--backlog=4096").status);
    }

    @ParameterizedTest
    @ValueSource(classes = {FixedPool.class, EventLoop.class, FixedPoolAsPublished.class})
    void aPortThatIsTakenIsNamed(Class<?> mode) throws Exception {
        try (ServerProcess first = ServerProcess.start(EventLoop.class)) {
            Ended ended = run(mode, "--port=" + first.port);
            assertEquals(2, ended.status, ended.said);
            assertTrue(ended.said.contains("'--port': 127.0.0.1:" + first.port), ended.said);
        }
    }

    @Test
    void helpTeaches() throws Exception {
        Ended ended = run(FixedPool.class, "--help");
        assertEquals(0, ended.status);
        assertTrue(ended.said.contains("a client gets 503"), ended.said);
        assertTrue(ended.said.contains("127.0.0.1"), ended.said);
    }

    private static Ended run(Class<?> mode, String option) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(ServerProcess.java(List.of(), mode, option))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), said);
    }
}
