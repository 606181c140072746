package artifact.spring;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Limits of a page's numbers. */
public final class Parameter {

    private Parameter() {}

    /** @throws ResponseStatusException 400, naming the parameter, its value and what is allowed */
    public static void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST,
                    name + " is a whole number from " + least + " to " + most + ", not " + value);
        }
    }
}
