package artifact.spring.database;

import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * One query on a connection of the pool: {@code point} is as short as one can be, {@code wait} holds
 * its connection for 20 ms in which the database does nothing.
 */
@RestController
class QueryController {

    private final JdbcTemplate jdbc;

    QueryController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/api/query-test")
    String query(@RequestParam(defaultValue = "point") String kind) {
        switch (kind) {
            case "point" -> jdbc.queryForObject(
                    "SELECT content FROM items WHERE id = ?",
                    String.class,
                    ThreadLocalRandom.current().nextInt(1, Database.ITEMS + 1));
            case "wait" -> jdbc.queryForObject("SELECT SLEEP(0.02)", Long.class);
            default -> throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "kind is point or wait, not " + kind);
        }
        return "OK";
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.NOT_IMPLEMENTED)
    String notInThisDatabase(BadSqlGrammarException unknownFunction) {
        return "kind=wait needs MariaDB, which has SLEEP: " + unknownFunction.getMessage();
    }
}
