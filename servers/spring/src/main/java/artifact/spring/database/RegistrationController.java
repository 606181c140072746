package artifact.spring.database;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.*;

/** Signs up members, and counts them: one that was acknowledged must be there. */
@RestController
class RegistrationController {

    record User(String name, String email, String password) {}

    private final JdbcTemplate jdbc;

    RegistrationController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores the password as it is given, as in the published program: hashing would be measured. */
    @PostMapping("/registration")
    @ResponseStatus(HttpStatus.CREATED)
    String register(@RequestBody User user) {
        jdbc.update(
                "INSERT INTO users (email, name, password) VALUES (?, ?, ?)",
                user.email(),
                user.name(),
                user.password());
        return "User registration success";
    }

    @GetMapping("/registration/count")
    String count() {
        return Long.toString(jdbc.queryForObject("SELECT COUNT(*) FROM users", Long.class));
    }

    /** The published program handles no exception: a duplicate is a 500, and Tomcat writes a stack trace for each. */
    @RestControllerAdvice(assignableTypes = RegistrationController.class)
    @ConditionalOnBooleanProperty(name = "as-published", havingValue = false, matchIfMissing = true)
    static class Refusals {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        String taken(DuplicateKeyException duplicate) {
            return "email is registered already";
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.BAD_REQUEST)
        String incomplete(DataIntegrityViolationException violation) {
            return "name, email and password are needed, of 255 characters at most";
        }
    }
}
