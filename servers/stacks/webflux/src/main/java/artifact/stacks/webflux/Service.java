package artifact.stacks.webflux;

import artifact.stacks.common.*;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientException;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The service on Spring WebFlux: pages on event loops, which nothing may block. */
@RestController
class Service {

    private final Options options;
    private final DatabaseClient database;
    private final TransactionalOperator transactions;
    private final WebClient client;
    private final Scheduler passwords;

    Service(
            Options options,
            DatabaseClient database,
            TransactionalOperator transactions,
            WebClient client,
            Scheduler passwords) {
        this.options = options;
        this.database = database;
        this.transactions = transactions;
        this.client = client;
        this.passwords = passwords;
    }

    @GetMapping("/ping")
    ResponseEntity<byte[]> ping() {
        return entity(Answer.text("OK"));
    }

    @GetMapping("/plain")
    ResponseEntity<byte[]> plain() {
        return entity(Answer.plain());
    }

    @GetMapping("/remote")
    Mono<ResponseEntity<byte[]>> remote(ServerHttpRequest request) {
        return ask(request).map(Answer::html).map(Service::entity);
    }

    @PostMapping("/login")
    Mono<ResponseEntity<byte[]>> login(@RequestBody byte[] body) {
        Login login = Login.of(body);
        Mono<Optional<String>> stored = database.sql(Sql.PASSWORD_OF)
                .bind(0, login.email())
                .map(row -> row.get(0, String.class))
                .one()
                .singleOptional();
        return stored.publishOn(passwords).map(found -> entity(Answer.loggedIn(login, found.orElse(null))));
    }

    @PostMapping("/order")
    Mono<ResponseEntity<byte[]>> order(@RequestBody byte[] body, ServerHttpRequest request) {
        Order order = Order.of(body);
        return insert(order)
                .then(ask(request))
                .as(transactions::transactional)
                .map(answer -> entity(Answer.ordered()));
    }

    @PostMapping("/order-outside")
    Mono<ResponseEntity<byte[]>> orderOutside(@RequestBody byte[] body, ServerHttpRequest request) {
        Order order = Order.of(body);
        return ask(request)
                .then(insert(order).as(transactions::transactional))
                .then(Mono.fromSupplier(() -> entity(Answer.ordered())));
    }

    @GetMapping("/orders/count")
    Mono<ResponseEntity<byte[]>> countOrders() {
        return database.sql(Sql.COUNT_ORDERS)
                .map(row -> row.get(0, Long.class))
                .one()
                .map(Answer::text)
                .map(Service::entity);
    }

    @GetMapping("/counters")
    ResponseEntity<byte[]> counters() {
        return entity(Answer.noCounters());
    }

    @GetMapping("/limits")
    ResponseEntity<byte[]> limits() {
        return entity(options.limits());
    }

    @ExceptionHandler
    ResponseEntity<byte[]> rejected(Rejected rejected) {
        return entity(rejected.answer());
    }

    private Mono<Void> insert(Order order) {
        return database.sql(Sql.INSERT_ORDER)
                .bind(0, order.item())
                .bind(1, order.quantity())
                .then();
    }

    /** Fails with {@link Rejected} if the remote does not answer with 200. */
    private Mono<byte[]> ask(ServerHttpRequest request) {
        return client.get()
                .uri(options.remote(request.getURI().getRawQuery()))
                .retrieve()
                .bodyToMono(byte[].class)
                .onErrorMap(WebClientException.class, failed -> Rejected.remoteFailed());
    }

    private static ResponseEntity<byte[]> entity(Answer answer) {
        return ResponseEntity.status(answer.status())
                .contentType(MediaType.parseMediaType(answer.type()))
                .body(answer.body());
    }
}
