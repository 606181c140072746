package artifact.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import module java.base;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** The application as the process that is measured. */
class ProcessTest {

    @Test
    void saysWhereItListensOnceItServesAndEndsWhenItIsTold() throws Exception {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                        "-cp", System.getProperty("java.class.path"), Application.class.getName(), "--port=0")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = server.inputReader();
                HttpClient client = HttpClient.newHttpClient()) {
            String first = said.readLine();
            assertTrue(first.matches("listening on 127\\.0\\.0\\.1:[0-9]+"), first);
            String base = first.replace("listening on ", "http://");
            assertEquals("OK", client.send(get(base + "/ping"), BodyHandlers.ofString()).body());

            client.sendAsync(get(base + "/api/sleep-test?sleep_ms=60000"), BodyHandlers.ofString());
            server.destroy();
            assertTrue(server.waitFor(App.PATIENCE_S, TimeUnit.SECONDS), "a request in flight does not hold it up");
            client.shutdownNow();
        } finally {
            server.destroyForcibly();
        }
    }

    private static HttpRequest get(String url) {
        return HttpRequest.newBuilder(URI.create(url)).build();
    }
}
