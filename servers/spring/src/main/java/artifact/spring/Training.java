package artifact.spring;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestTemplate;

/**
 * Starts every kind of mode in turn, asks for its pages once, and ends: what is loaded by then is
 * what a class-data archive is to hold (archive.sh).
 */
final class Training {

    private static final RestTemplate CLIENT = new RestTemplate();
    private static final String H2 = "--spring.datasource.url=jdbc:h2:mem:training";

    private Training() {}

    public static void main(String[] args) {
        try (ServletWebServerApplicationContext remote = Application.start("--port=0")) {
            String remoteUrl = "--remote.url=" + url(remote, "/ping");
            for (String client : List.of("blocking", "pooled", "worker-threads", "event-loop")) {
                visit(List.of("--client=" + client, remoteUrl), "/v1/hello");
            }
            for (String client : List.of("reactor", "jdk", "boot")) {
                visit(List.of("--client=pooled", "--http-client=" + client, remoteUrl), "/v1/hello");
            }
        }
        visit(List.of(), "/api/sleep-test?sleep_ms=1", "/api/cpu-test", "/api/work-test", "/api/file-test");
        visit(
                List.of("--lock=reentrant", "--permits=50", "--body-bytes=16384", "--virtual=true", "--long-threads=1"),
                "/api/lock-test", "/api/cpu-test", "/api/long-test");
        visit(List.of("--permits=50", "--beyond-permits=close", "--virtual=true"), "/ping");
        visit(
                List.of("--lock=synchronized", "--states-every-ms=100", "--count-pinned=true"),
                "/watch?on=true", "/api/lock-test", "/watch?on=false", "/counters", "/limits");
        visit(List.of("--lock=shared", "--virtual=true"), "/api/lock-test", "/api/lock-test");
        for (String appender : List.of("file", "asynchronous")) {
            visit(List.of("--appender=" + appender, "--virtual=true"), "/api/log-test?bytes=1");
        }
        visit(List.of(H2), "/api/query-test", "/registration/count", "/counters");
        signUp(List.of(H2));
        connectToMariaDb();
    }

    private static void visit(List<String> options, String... paths) {
        try (ServletWebServerApplicationContext mode = start(options)) {
            for (String path : paths) {
                CLIENT.getForObject(url(mode, path), String.class);
            }
        }
    }

    private static void signUp(List<String> options) {
        HttpHeaders headers = new HttpHeaders();
        headers.setContentType(MediaType.APPLICATION_JSON);
        String user = "{\"name\": \"kim\", \"email\": \"kim@mail.com\", \"password\": \"password1234\"}";
        try (ServletWebServerApplicationContext mode = start(options)) {
            CLIENT.postForObject(url(mode, "/registration"), new HttpEntity<>(user, headers), String.class);
        }
    }

    /** No database listens there, but the driver comes as far as that. */
    private static void connectToMariaDb() {
        try {
            DriverManager.getConnection("jdbc:mariadb://127.0.0.1:1/training").close();
        } catch (SQLException refused) {
            // Expected.
        }
    }

    private static ServletWebServerApplicationContext start(List<String> options) {
        return Application.start(Stream.concat(Stream.of("--port=0"), options.stream()).toArray(String[]::new));
    }

    private static String url(ServletWebServerApplicationContext mode, String path) {
        return "http://127.0.0.1:" + mode.getWebServer().getPort() + path;
    }
}
