package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import artifact.spring.App;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** Who has signed up; on H2, which the tests need no process for. */
class RegistrationTest {

    @Test
    void signsUpAMemberOnce() throws Exception {
        try (App app = App.start(App.h2("once"))) {
            HttpResponse<String> created = app.post("/registration", user("kim@mail.com"));
            assertEquals(201, created.statusCode());
            assertEquals("User registration success", created.body());
            assertEquals("25", created.headers().firstValue("Content-Length").orElseThrow());

            HttpResponse<String> again = app.post("/registration", user("kim@mail.com"));
            assertEquals(409, again.statusCode());
            assertEquals("email is registered already", again.body());

            assertEquals(201, app.post("/registration", user("lee@mail.com")).statusCode());
            assertEquals("2", app.get("/registration/count").body());
        }
    }

    @Test
    void refusesAMemberWithoutAName() throws Exception {
        try (App app = App.start(App.h2("incomplete"))) {
            assertEquals(400, app.post("/registration", "{\"email\": \"kim@mail.com\"}").statusCode());
            assertEquals(400, app.post("/registration", "kim").statusCode());
            assertEquals("0", app.get("/registration/count").body());
        }
    }

    @Test
    void asPublishedFailsWithEveryRequestButTheFirst() throws Exception {
        try (App app = App.start(
                App.h2("as-published"), "--as-published=true", "--log=off")) {
            assertEquals(201, app.post("/registration", user("abc@mail.com")).statusCode());
            HttpResponse<String> second = app.post("/registration", user("abc@mail.com"));
            HttpResponse<String> third = app.post("/registration", user("abc@mail.com"));
            assertEquals(500, second.statusCode());
            assertEquals(500, third.statusCode());
            assertFalse(second.body().contains("abc@mail.com"), "the error page of Spring Boot, as it is");
            assertEquals(second.body().length(), third.body().length());
            assertEquals("1", app.get("/registration/count").body());
        }
    }

    @Test
    void isNotThereWithoutADatabase() throws Exception {
        try (App app = App.start()) {
            assertEquals(404, app.post("/registration", user("kim@mail.com")).statusCode());
            assertEquals(404, app.get("/api/query-test").statusCode());
        }
    }

    private static String user(String email) {
        return "{\"name\": \"kim\", \"email\": \"" + email + "\", \"password\": \"password1234\"}";
    }
}
