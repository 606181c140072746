package artifact.stacks.common;

import static org.junit.jupiter.api.Assertions.*;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AnswerTest {

    private static final Login LOGIN = new Login("member-0001@mail.com", "p");
    private static final byte[] SALT = "salt".getBytes(StandardCharsets.US_ASCII);

    @Test
    void theRightPasswordGetsATokenThatIsSigned() {
        Answer answer = Answer.loggedIn(LOGIN, Passwords.hash("p", SALT));
        String body = new String(answer.body(), StandardCharsets.UTF_8);
        assertEquals(200, answer.status());
        // The signature is that of Python's hmac, with the key of Tokens.
        assertEquals("{\"token\":\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZW1iZXItMDAwMUBtYWlsLmNvbSJ9."
                + "tgeShvnnRnrQReNGbAY2YxD-mtS0jCqKmxnFWq1ki1s\"}", body);
    }

    @Test
    void anotherPasswordAndNoMemberAreRejectedAlike() {
        String stored = Passwords.hash("q", SALT);
        Answer other = assertThrows(Rejected.class, () -> Answer.loggedIn(LOGIN, stored)).answer();
        Answer none = assertThrows(Rejected.class, () -> Answer.loggedIn(LOGIN, null)).answer();
        assertEquals(401, other.status());
        assertArrayEquals(other.body(), none.body());
    }

    @Test
    void bodiesThatLackAFieldAreRejected() {
        for (String body : new String[] {"null", "{\"email\": \"kim\", \"item\": 1}", "no JSON"}) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            assertEquals(422, assertThrows(Rejected.class, () -> Login.of(bytes), body).answer().status());
            assertEquals(422, assertThrows(Rejected.class, () -> Order.of(bytes), body).answer().status());
        }
    }
}
