package artifact.spring.remote;

import artifact.stacks.common.Options;
import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.client.ReactorClientHttpRequestFactory;

/** Reactor Netty's client, that of WebFlux: event loops have all connections, and the thread that asks waits for them. */
@Lazy
@ConditionalOnProperty(name = "http-client", havingValue = "reactor")
final class ReactorRemote implements Remote, AutoCloseable {

    private final Loops loops = new Loops(Runtime.getRuntime().availableProcessors());
    private final Remote remote;

    ReactorRemote(Options options) {
        remote = Remote.by(new ReactorClientHttpRequestFactory(
                loops.client(options.number("client-connections")).responseTimeout(RemoteClients.TIMEOUT)));
    }

    @Override
    public byte[] ask(URI address) {
        return remote.ask(address);
    }

    @Override
    public void close() {
        loops.close();
    }
}
