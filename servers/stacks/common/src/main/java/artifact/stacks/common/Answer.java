package artifact.stacks.common;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An answer as every stack must give it, to the byte. */
public record Answer(int status, String type, byte[] body) {

    private record Document(String name, int version, boolean stable) {}

    private record Token(String token) {}

    private record State(String state) {}

    private record Failure(String error) {}

    /** {@code GET /plain}: made for each request, as a service does. */
    public static Answer plain() {
        return json(200, new Document("stacks", 1, true));
    }

    public static Answer html(byte[] body) {
        return new Answer(200, "text/html;charset=utf-8", body);
    }

    /** {@code POST /order} and {@code POST /order-outside}, once the order is committed. */
    public static Answer ordered() {
        return json(201, new State("ordered"));
    }

    /**
     * {@code POST /login}, after the query: this is the CPU time of the page.
     *
     * @param stored what the database has of the member; null if there is no such member
     * @throws Rejected if the password is another
     */
    public static Answer loggedIn(Login login, String stored) {
        if (stored == null || !Passwords.matches(login.password(), stored)) {
            throw new Rejected(401, "wrong e-mail or password");
        }
        return json(200, new Token(Tokens.of(login.email())));
    }

    public static Answer text(Object text) {
        return new Answer(200, "text/plain;charset=utf-8", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** {@code GET /counters} of a stack whose pool counts nothing. */
    public static Answer noCounters() {
        return json(200, Map.of());
    }

    static Answer json(int status, Object value) {
        return new Answer(status, "application/json", Json.write(value));
    }

    static Answer failure(int status, String reason) {
        return json(status, new Failure(reason));
    }
}
