package artifact.spring.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import artifact.spring.App;
import org.junit.jupiter.api.Test;

/** Buffers of a connection are as large as is asked for, and requests are served all the same. */
class BuffersTest {

    @Test
    void areAsLargeAsTheOptionSays() throws Exception {
        try (App app = App.start("--buffer-bytes=2048", "--header-bytes=2048", "--virtual=true")) {
            assertEquals("2048", property(app, "socket.appReadBufSize"));
            assertEquals("2048", property(app, "socket.appWriteBufSize"));
            assertEquals("2048", property(app, "maxHttpResponseHeaderSize"));
            assertEquals(200, app.get("/ping").statusCode());
            assertEquals(400, app.get("/ping?" + "x".repeat(3000)).statusCode());
        }
    }

    @Test
    void areTomcatsOwnWithoutIt() throws Exception {
        try (App app = App.start()) {
            assertEquals("8192", property(app, "socket.appReadBufSize"));
            assertEquals("8192", property(app, "maxHttpResponseHeaderSize"));
        }
    }

    private static String property(App app, String name) {
        return String.valueOf(app.connector().getProperty(name));
    }
}
