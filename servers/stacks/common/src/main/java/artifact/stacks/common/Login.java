package artifact.stacks.common;

import java.util.Objects;

/** The body of {@code POST /login}. */
public record Login(String email, String password) {

    public Login {
        Objects.requireNonNull(email, "email");
        Objects.requireNonNull(password, "password");
    }

    public static Login of(byte[] body) {
        return Json.read(body, Login.class);
    }
}
