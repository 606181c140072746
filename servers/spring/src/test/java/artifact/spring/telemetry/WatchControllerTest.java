package artifact.spring.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import artifact.spring.App;
import org.junit.jupiter.api.Test;

class WatchControllerTest {

    @Test
    void answersInEveryModeAndAsOftenAsAsked() throws Exception {
        try (App app = App.start()) {
            for (String state : new String[] {"true", "true", "false", "false"}) {
                assertEquals(state.equals("true") ? "on" : "off", app.get("/watch?on=" + state).body());
            }
        }
    }

    @Test
    void refusesWhatIsNeitherOnNorOff() throws Exception {
        try (App app = App.start()) {
            assertEquals(400, app.get("/watch").statusCode());
            assertEquals(400, app.get("/watch?on=perhaps").statusCode());
        }
    }
}
