package artifact.sockets.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    @ParameterizedTest
    @CsvSource({
        "FixedPool, --threads=many, --threads",
        "FixedPool, --queue=0, --queue is a whole number from 1",
        "EventLoop, --loops=-1, --loops is a whole number from 1",
        "EventLoop, --backlog=0, --backlog is a whole number from 1",
        "ThreadPerRequest, --port=65536, --port=65536: ",
        "ThreadPerRequestAsPublished, --address=localhost, --address=localhost: ",
        "FixedPool, --core-threads=21, --threads is at least --core-threads",
        // The published programs have no backlog to set.
        "ThreadPerRequestAsPublished, --backlog=4096, Unknown option",
        "FixedPoolAsPublished, --backlog=4096, Unknown option"
    })
    void aWrongOptionIsNamedBeforeAnythingListens(String mode, String option, String reason) throws Exception {
        assertRefused(Class.forName("artifact.sockets.mode." + mode), option, reason);
    }

    @ParameterizedTest
    @ValueSource(classes = {FixedPool.class, EventLoop.class, FixedPoolAsPublished.class})
    void aPortThatIsTakenIsNamed(Class<?> mode) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String option = "--port=" + other.getLocalPort();
            assertRefused(mode, option, option + ": Address already in use");
        }
    }

    private static void assertRefused(Class<?> mode, String option, String reason) throws Exception {
        Process process = new ProcessBuilder(ServerProcess.java(List.of(), mode, option))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertEquals(2, process.waitFor(), said);
        assertTrue(said.contains(reason), said);
    }
}
