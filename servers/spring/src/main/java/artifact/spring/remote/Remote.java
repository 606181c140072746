package artifact.spring.remote;

import java.net.URI;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** Asks the remote by Spring's RestClient; a subclass is the client behind it, by {@code http-client}. */
public abstract class Remote {

    private final RestClient client;

    Remote(ClientHttpRequestFactory requests) {
        client = RestClient.builder().requestFactory(requests).build();
    }

    /** @throws org.springframework.web.client.RestClientException if the remote does not answer with 2xx */
    public byte[] ask(URI address) {
        return client.get().uri(address).retrieve().body(byte[].class);
    }
}
