package artifact.stacks.helidon;

import module java.base;
import artifact.stacks.common.*;
import io.helidon.webclient.api.HttpClientResponse;
import io.helidon.webclient.api.WebClient;

/** Helidon's WebClient. It has no limit of its connections, so requests wait before it. */
final class Remote {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Options options;
    private final Permits connections;
    private final WebClient client;

    Remote(Options options) {
        this.options = options;
        connections = new Permits(options.number("client-connections"));
        client = WebClient.builder()
                .readTimeout(TIMEOUT)
                // Idle connections that it keeps, and checks every 101 ms: nothing turns that off (helidon#11799).
                .connectionCacheSize(options.number("client-connections"))
                .build();
    }

    /** @throws Rejected if the remote does not answer with 200 */
    byte[] ask(String query) {
        return connections.within(() -> {
            try (HttpClientResponse answer = client.get().uri(options.remote(query)).request()) {
                byte[] body = answer.as(byte[].class);
                if (answer.status().code() == 200) {
                    return body;
                }
            } catch (UncheckedIOException failed) {
                // Rejected below.
            }
            throw Rejected.remoteFailed();
        });
    }
}
