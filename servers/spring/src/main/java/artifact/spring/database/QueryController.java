package artifact.spring.database;

import artifact.spring.Parameter;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.server.ResponseStatusException;

/**
 * Queries on a connection of the pool: {@code point} is as short as one can be, {@code wait} holds its
 * connection for 20 ms in which the database does nothing. {@code times} of them, one after the other, take a
 * connection each and give it back, with a pause of {@code think_ms} after each.
 */
@RestController
class QueryController {

    private final JdbcTemplate jdbc;

    QueryController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/api/query-test")
    String query(
            @RequestParam(defaultValue = "point") String kind,
            @RequestParam(defaultValue = "1") int times,
            @RequestParam(name = "think_ms", defaultValue = "0") int thinkMs)
            throws InterruptedException {
        Parameter.require("times", times, 1, 1000);
        Parameter.require("think_ms", thinkMs, 0, 1000);
        for (int time = 0; time < times; time++) {
            query(kind);
            if (thinkMs > 0) {
                Thread.sleep(thinkMs);
            }
        }
        return "OK";
    }

    private void query(String kind) {
        switch (kind) {
            case "point" -> jdbc.queryForObject(
                    "SELECT content FROM items WHERE id = ?",
                    String.class,
                    ThreadLocalRandom.current().nextInt(1, Database.ITEMS + 1));
            case "wait" -> jdbc.queryForObject("SELECT SLEEP(0.02)", Long.class);
            default -> throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "kind is point or wait, not " + kind);
        }
    }
}
