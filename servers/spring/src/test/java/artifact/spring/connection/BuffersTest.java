package artifact.spring.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import artifact.spring.App;
import org.junit.jupiter.api.Test;

class BuffersTest {

    @Test
    void areAsLargeAsTheOptionSays() throws Exception {
        try (App app = App.start("--buffer-bytes=2048", "--header-bytes=2048", "--virtual=true")) {
            assertBytes("2048", app, "socket.appReadBufSize", "socket.appWriteBufSize", "maxHttpResponseHeaderSize");
            assertEquals(200, app.get("/ping").statusCode());
            assertEquals(400, app.get("/ping?" + "x".repeat(3000)).statusCode());
        }
    }

    @Test
    void areTomcatsOwnWithoutIt() throws Exception {
        try (App app = App.start()) {
            assertBytes("8192", app, "socket.appReadBufSize", "maxHttpResponseHeaderSize");
        }
    }

    private static void assertBytes(String bytes, App app, String... properties) {
        for (String property : properties) {
            assertEquals(bytes, String.valueOf(app.connector().getProperty(property)), property);
        }
    }
}
