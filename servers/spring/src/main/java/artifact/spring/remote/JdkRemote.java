package artifact.spring.remote;

import artifact.stacks.common.Options;
import artifact.stacks.common.Permits;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.concurrent.Executors;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * The JDK's HttpClient: its selector has all connections, its executor works on answers, and the thread that asks waits
 * for both. The executor has threads of the mode's kind, as Spring Boot chooses it.
 */
@Lazy
@ConditionalOnProperty(name = "http-client", havingValue = "jdk")
final class JdkRemote extends Remote {

    private final Permits connections;

    JdkRemote(Options options) {
        super(requests(options));
        // The client has no limit of its own.
        connections = new Permits(options.number("client-connections"));
    }

    @Override
    public byte[] ask(URI address) {
        return connections.within(() -> super.ask(address));
    }

    private static ClientHttpRequestFactory requests(Options options) {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(
                        options.on("virtual")
                                ? Executors.newVirtualThreadPerTaskExecutor()
                                : Executors.newCachedThreadPool())
                .build();
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(client);
        requests.setReadTimeout(RemoteClients.TIMEOUT);
        return requests;
    }
}
