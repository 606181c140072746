package artifact.spring.remote;

import java.net.URI;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** Asks the remote by Spring's RestClient; an implementation is the client behind it, by {@code http-client}. */
public interface Remote {

    /** @throws org.springframework.web.client.RestClientException if the remote does not answer with 2xx */
    byte[] ask(URI address);

    static Remote by(ClientHttpRequestFactory client) {
        RestClient asking = RestClient.builder().requestFactory(client).build();
        return address -> asking.get().uri(address).retrieve().body(byte[].class);
    }
}
