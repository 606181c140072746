package artifact.stacks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void whatIsGivenComesBeforeTheDefault() {
        Options options = parse("--pool=50", "--threads=7");
        assertEquals(50, options.number("pool"));
        assertEquals(7, options.number("threads"));
        assertEquals(4096, options.number("backlog"));
    }

    @Test
    void whatIsNoOptionOfTheStackEndsTheStart() {
        String message = assertThrows(IllegalArgumentException.class, () -> parse("--loops=2")).getMessage();
        assertTrue(message.startsWith("loops is no option; there are ") && message.contains("threads"), message);
        assertThrows(IllegalArgumentException.class, () -> parse("--pool"));
    }

    @Test
    void aValueThatAnOptionDoesNotTakeEndsTheStart() {
        for (String wrong : new String[] {"--pool=ten", "--threads=true", "--max-connections=8192", "--backlog="}) {
            assertThrows(IllegalArgumentException.class, () -> parse(wrong), wrong);
        }
        assertEquals(-1, parse("--max-connections=-1").number("max-connections"));
    }

    @Test
    void aQueryReplacesThatOfTheRemote() {
        Options options = parse("--remote.url=http://127.0.0.1:9/work?sleep_ms=1000&cpu_us=0");
        assertEquals(URI.create("http://127.0.0.1:9/work?sleep_ms=1000&cpu_us=0"), options.remote(null));
        assertEquals(URI.create("http://127.0.0.1:9/work?sleep_ms=20&cpu_us=0"), options.remote("sleep_ms=20&cpu_us=0"));
    }

    @Test
    void aJdbcUrlHasAllThatOtherDriversAreTold() {
        DatabaseAddress address = parse(
                        "--spring.datasource.url=jdbc:mariadb://127.0.0.1:4711/shop?sslMode=disable",
                        "--spring.datasource.username=kim")
                .database();
        assertEquals("127.0.0.1 4711 shop kim", String.join(" ",
                address.host(), String.valueOf(address.port()), address.name(), address.user()));
    }

    private static Options parse(String... arguments) {
        return StackOptions.parse(arguments, Map.of("threads", "200"));
    }
}
