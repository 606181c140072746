package artifact.primitives;

import java.net.URI;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Calls of a remote whose answer nothing awaits: by a RestTemplate of its own on a new platform thread,
 * or by one WebClient whose event loop waits. The libraries are those of the Spring application,
 * without Tomcat.
 *
 * <p>System property {@code remote.url}.
 */
final class RemoteCalls {

    private final URI remote = URI.create(System.getProperty("remote.url"));
    private final WebClient client = WebClient.create();

    void start(String kind) {
        switch (kind) {
            case "platform-thread-call" -> Thread.ofPlatform().start(this::call);
            case "event-loop-call" ->
                client.get().uri(remote).retrieve().bodyToMono(byte[].class).subscribe();
            default -> throw new IllegalArgumentException("no such call: " + kind);
        }
    }

    private void call() {
        new RestTemplate().getForObject(remote, byte[].class);
    }
}
