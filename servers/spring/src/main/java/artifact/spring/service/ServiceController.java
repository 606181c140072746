package artifact.spring.service;

import artifact.spring.remote.Remote;
import artifact.stacks.common.*;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestClientException;

/** The service on Spring MVC: the thread of the request waits for the remote and for the database. */
@RestController
class ServiceController {

    private final Options options;
    private final JdbcTemplate database;
    private final TransactionTemplate transactions;
    private final Remote remote;

    ServiceController(
            Options options, JdbcTemplate database, TransactionTemplate transactions, Remote remote) {
        this.options = options;
        this.database = database;
        this.transactions = transactions;
        this.remote = remote;
    }

    @GetMapping("/plain")
    ResponseEntity<byte[]> plain() {
        return entity(Answer.plain());
    }

    @GetMapping("/remote")
    ResponseEntity<byte[]> remote(HttpServletRequest request) {
        return entity(Answer.html(ask(request)));
    }

    @PostMapping("/login")
    ResponseEntity<byte[]> login(@RequestBody byte[] body) {
        Login login = Login.of(body);
        String stored = DataAccessUtils.singleResult(
                database.queryForList(Sql.PASSWORD_OF, String.class, login.email()));
        return entity(Answer.loggedIn(login, stored));
    }

    @PostMapping("/order")
    ResponseEntity<byte[]> order(@RequestBody byte[] body, HttpServletRequest request) {
        Order order = Order.of(body);
        transactions.executeWithoutResult(transaction -> {
            insert(order);
            ask(request);
        });
        return entity(Answer.ordered());
    }

    @PostMapping("/order-outside")
    ResponseEntity<byte[]> orderOutside(@RequestBody byte[] body, HttpServletRequest request) {
        Order order = Order.of(body);
        ask(request);
        transactions.executeWithoutResult(transaction -> insert(order));
        return entity(Answer.ordered());
    }

    @GetMapping("/orders/count")
    ResponseEntity<byte[]> countOrders() {
        return entity(Answer.text(database.queryForObject(Sql.COUNT_ORDERS, Long.class)));
    }

    @ExceptionHandler
    ResponseEntity<byte[]> rejected(Rejected rejected) {
        return entity(rejected.answer());
    }

    private void insert(Order order) {
        database.update(Sql.INSERT_ORDER, order.item(), order.quantity());
    }

    /** @throws Rejected if the remote does not answer with 200 */
    private byte[] ask(HttpServletRequest request) {
        try {
            return remote.ask(options.remote(request.getQueryString()));
        } catch (RestClientException failed) {
            throw Rejected.remoteFailed();
        }
    }

    private static ResponseEntity<byte[]> entity(Answer answer) {
        return ResponseEntity.status(answer.status())
                .contentType(MediaType.parseMediaType(answer.type()))
                .body(answer.body());
    }
}
