package artifact.spring.remote;

import artifact.stacks.common.Options;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

/**
 * The thread of the request goes free, and a new thread waits for the remote in its stead. That is
 * what the published AsyncRestTemplate did, which Spring 6 no longer has: a blocking call of
 * HttpURLConnection in a SimpleAsyncTaskExecutor, which keeps no threads and knows no limit.
 */
@RestController
@ConditionalOnProperty(name = "client", havingValue = "worker-threads")
class WorkerThreadsController {

    private final Executor workers = new SimpleAsyncTaskExecutor("worker-");
    private final Options options;

    WorkerThreadsController(Options options) {
        this.options = options;
    }

    @GetMapping(path = "/v1/hello", produces = RemoteClients.TYPE)
    CompletableFuture<byte[]> hello(HttpServletRequest request) {
        URI asked = options.remote(request.getQueryString());
        return CompletableFuture.supplyAsync(() -> new RestTemplate().getForObject(asked, byte[].class), workers);
    }
}
