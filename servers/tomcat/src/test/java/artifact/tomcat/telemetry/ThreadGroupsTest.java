package artifact.tomcat.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadGroupsTest {

    @ParameterizedTest
    @CsvSource({
        "http-nio-127.0.0.1-8080-exec-1, http-nio-exec",
        "http-nio-127.0.0.1-22000-exec-400, http-nio-exec",
        "http-nio-127.0.0.1-8080-Poller, http-nio-poller",
        "http-nio-127.0.0.1-8080-Acceptor, http-nio-acceptor",
        "worker-7, worker",
        "worker-123456789, worker",
        "reactor-http-nio-1, reactor-http",
        "ForkJoinPool-1-worker-1, carrier",
        "main, jvm",
        "HikariPool-1:housekeeper, jvm"
    })
    void knowsAThreadByItsJavaName(String name, String group) {
        assertEquals(group, ThreadGroups.ofJavaThread(name));
    }

    @ParameterizedTest
    @CsvSource({
        "http-ni..exec-1, http-nio-exec",
        "http-ni..ec-400, http-nio-exec",
        "http-ni..Poller, http-nio-poller",
        "http-ni..ceptor, http-nio-acceptor",
        "worker-7, worker",
        "worker-..456789, worker",
        "reactor..-nio-1, reactor-http",
        "ForkJoi..rker-1, carrier",
        "C2 CompilerThre, jvm"
    })
    void knowsAThreadByWhatTheKernelCallsIt(String comm, String group) {
        assertEquals(group, ThreadGroups.ofKernelThread(comm));
    }
}
