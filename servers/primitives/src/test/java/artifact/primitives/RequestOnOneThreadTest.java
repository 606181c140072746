package artifact.primitives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

class RequestOnOneThreadTest {

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void answersThePageAndTellsTheCpuTimeOfItsThread() throws IOException, InterruptedException {
        try (ServerSocket listener = RequestOnOneThread.listen(0)) {
            Thread.ofPlatform().daemon().start(() -> serve(listener));
            String base = "http://127.0.0.1:" + listener.getLocalPort();
            assertEquals(42, get(base + "/page").length());
            long before = Long.parseLong(get(base + "/cpu"));
            assertEquals(42, get(base + "/page").length());
            assertTrue(Long.parseLong(get(base + "/cpu")) > before);
        }
    }

    private String get(String address) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private static void serve(ServerSocket listener) {
        try {
            new RequestOnOneThread().serve(listener);
        } catch (IOException closed) {
            // The end of the test.
        }
    }
}
