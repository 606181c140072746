package artifact.tomcat.remote;

import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * {@code GET /v1/hello}: asks a slow remote and passes its answer on, by the client that {@code
 * remote.client} names.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("remote.client")
@Import({BlockingController.class, PooledController.class, WorkerThreadsController.class, EventLoopController.class})
public class RemoteClients {

    /** Bytes of text, whichever client brings them. */
    static final String TYPE = "text/plain;charset=UTF-8";

    /**
     * What to ask the remote: what it was asked itself, so that a warm-up need not wait; without a
     * query, as {@code remote.url} has it.
     */
    static URI asked(URI remote, String query) {
        if (query == null) {
            return remote;
        }
        return UriComponentsBuilder.fromUri(remote).replaceQuery(query).build(true).toUri();
    }
}
