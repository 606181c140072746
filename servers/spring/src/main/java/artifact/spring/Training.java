package artifact.spring;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.http.RequestEntity;
import org.springframework.web.client.RestTemplate;

/**
 * Starts every kind of mode in turn, asks for its pages once, and ends: what is loaded by then is
 * what a class-data archive is to hold (archive.sh).
 */
final class Training {

    private static final RestTemplate CLIENT = new RestTemplate();

    private Training() {}

    public static void main(String[] args) {
        try (ServletWebServerApplicationContext remote = start("")) {
            String remoteUrl = " --remote.url=" + url(remote, "/ping");
            for (String client : List.of(
                    "blocking", "worker-threads", "event-loop", "pooled", "pooled --http-client=reactor",
                    "pooled --http-client=jdk", "pooled --http-client=boot")) {
                visit("--client=" + client + remoteUrl, "/v1/hello");
            }
        }
        visit("", "/api/sleep-test?sleep_ms=1", "/api/cpu-test", "/api/work-test");
        visit(
                "--lock=reentrant --permits=50 --body-bytes=16384 --virtual=true --long-threads=1",
                "/api/lock-test", "/api/cpu-test", "/api/long-test");
        visit("--permits=50 --beyond-permits=close --virtual=true", "/ping");
        visit(
                "--lock=synchronized --states-every-ms=100 --count-pinned=true",
                "/watch?on=true", "/api/lock-test", "/watch?on=false", "/counters", "/limits");
        visit("--lock=shared --virtual=true", "/api/lock-test", "/api/lock-test");
        visit("--appender=file --virtual=true", "/api/log-test?bytes=1");
        visit("--appender=asynchronous --virtual=true", "/api/log-test?bytes=1");
        String h2 = "--spring.datasource.url=jdbc:h2:mem:training";
        visit(h2, "/api/query-test", "/registration/count", "/counters");
        signUp(h2);
        connectToMariaDb();
        // Threads of a client may wait for a minute for their next answer.
        System.exit(0);
    }

    private static void visit(String options, String... paths) {
        try (ServletWebServerApplicationContext mode = start(options)) {
            for (String path : paths) {
                CLIENT.getForObject(url(mode, path), String.class);
            }
        }
    }

    private static void signUp(String options) {
        String user = "{\"name\": \"kim\", \"email\": \"kim@mail.com\", \"password\": \"password1234\"}";
        try (ServletWebServerApplicationContext mode = start(options)) {
            CLIENT.exchange(
                    RequestEntity.post(url(mode, "/registration")).contentType(MediaType.APPLICATION_JSON).body(user),
                    String.class);
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

    private static ServletWebServerApplicationContext start(String options) {
        return Application.start(("--port=0 " + options).strip().split(" "));
    }

    private static String url(ServletWebServerApplicationContext mode, String path) {
        return "http://127.0.0.1:" + mode.getWebServer().getPort() + path;
    }
}
