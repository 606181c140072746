package artifact.stacks.jdk;

import artifact.stacks.common.Options;
import artifact.stacks.common.Permits;
import artifact.stacks.common.Rejected;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;

/** The JDK's HttpClient. It has no limit of its connections, so requests wait before it. */
final class Remote {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Options options;
    private final Permits connections;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();

    Remote(Options options) {
        this.options = options;
        connections = new Permits(options.number("client-connections"));
    }

    /** @throws Rejected if the remote does not answer with 200 */
    byte[] ask(String query) {
        HttpRequest request =
                HttpRequest.newBuilder(options.remote(query)).timeout(TIMEOUT).build();
        try {
            HttpResponse<byte[]> answer = connections.within(() -> send(request));
            if (answer.statusCode() == 200) {
                return answer.body();
            }
        } catch (IOException failed) {
            // Rejected below.
        }
        throw Rejected.remoteFailed();
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, BodyHandlers.ofByteArray());
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }
}
