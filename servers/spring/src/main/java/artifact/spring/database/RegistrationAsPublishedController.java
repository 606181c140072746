package artifact.spring.database;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Signs up a member and handles no exception, as the published program: an e-mail address that is
 * there already becomes a 500, and Tomcat writes a stack trace for each.
 */
@RestController
@ConditionalOnBooleanProperty("as-published")
class RegistrationAsPublishedController {

    private final Users users;

    RegistrationAsPublishedController(Users users) {
        this.users = users;
    }

    @PostMapping("/registration")
    @ResponseStatus(HttpStatus.CREATED)
    String register(@RequestBody User user) {
        users.add(user);
        return "User registration success";
    }
}
