package artifact.spring.database;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** How many have signed up: what was acknowledged must be there. */
@RestController
class RegistrationCountController {

    private final Users users;

    RegistrationCountController(Users users) {
        this.users = users;
    }

    @GetMapping("/registration/count")
    String count() {
        return Long.toString(users.count());
    }
}
