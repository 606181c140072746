package artifact.spring.remote;

import artifact.stacks.common.Options;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.client.ReactorClientHttpRequestFactory;

/** Reactor Netty's client, that of WebFlux: event loops have all connections, and the thread that asks waits for them. */
@Lazy
@ConditionalOnProperty(name = "http-client", havingValue = "reactor")
final class ReactorRemote extends Remote {

    ReactorRemote(Options options) {
        super(new ReactorClientHttpRequestFactory(
                EventLoops.client(Runtime.getRuntime().availableProcessors(), options)
                        .responseTimeout(RemoteClients.TIMEOUT)));
    }
}
