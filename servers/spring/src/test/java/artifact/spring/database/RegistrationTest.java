package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import artifact.spring.App;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** Who has signed up; on H2, which the tests need no process for. */
class RegistrationTest {

    @Test
    void signsUpAMemberOnceAndNoneWithoutAName() throws Exception {
        try (App app = App.start(App.h2("once"))) {
            HttpResponse<String> created = signUp("kim@mail.com", app);
            assertEquals(201, created.statusCode());
            assertEquals("User registration success", created.body());

            HttpResponse<String> again = signUp("kim@mail.com", app);
            assertEquals(409, again.statusCode());
            assertEquals("email is registered already", again.body());

            assertEquals(400, app.post("/registration", "{\"email\": \"lee@mail.com\"}").statusCode());
            assertEquals(400, app.post("/registration", "lee").statusCode());
            assertEquals(201, signUp("lee@mail.com", app).statusCode());
            assertEquals("2", app.get("/registration/count").body());
        }
    }

    @Test
    void asPublishedFailsWithAMemberThatIsThere() throws Exception {
        try (App app = App.start(App.h2("as-published"), "--as-published=true", "--log=off")) {
            assertEquals(201, signUp("kim@mail.com", app).statusCode());
            HttpResponse<String> second = signUp("kim@mail.com", app);
            assertEquals(500, second.statusCode());
            assertFalse(second.body().contains("kim@mail.com"), "the error page of Spring Boot, as it is");
            assertEquals("1", app.get("/registration/count").body());
        }
    }

    private static HttpResponse<String> signUp(String email, App app) throws Exception {
        return app.post(
                "/registration", "{\"name\": \"kim\", \"email\": \"" + email + "\", \"password\": \"secret\"}");
    }
}
