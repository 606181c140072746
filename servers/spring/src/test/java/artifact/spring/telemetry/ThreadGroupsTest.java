package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadGroupsTest {

    @ParameterizedTest
    @CsvSource({
        "http-nio-exec-400, http-nio-exec",
        "http-nio-Poller, http-nio-poller",
        "http-nio-Acceptor, http-nio-acceptor",
        "worker-123456789, worker",
        "reactor-http-nio-1, reactor-http",
        "ForkJoinPool-1-worker-10, carrier",
        "ForkJoinPool.commonPool-worker-1, jvm",
        "C2 CompilerThread0, jvm"
    })
    void knowsAThreadByItsNameAndByWhatTheKernelKeepsOfIt(String name, String group) {
        assertEquals(group, ThreadGroups.of(name));
        assertEquals(group, ThreadGroups.of(name.substring(0, Math.min(15, name.length()))));
    }
}
