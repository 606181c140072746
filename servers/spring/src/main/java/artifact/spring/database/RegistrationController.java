package artifact.spring.database;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.*;

/** Signs up a member; an email that is registered already gets 409. */
@RestController
@ConditionalOnBooleanProperty(name = "as-published", havingValue = false, matchIfMissing = true)
class RegistrationController {

    private final Users users;

    RegistrationController(Users users) {
        this.users = users;
    }

    @PostMapping("/registration")
    @ResponseStatus(HttpStatus.CREATED)
    String register(@RequestBody User user) {
        users.add(user);
        return "User registration success";
    }

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
