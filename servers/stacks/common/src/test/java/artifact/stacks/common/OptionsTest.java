package artifact.stacks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import module java.base;
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
    void aValueThatAnOptionDoesNotTakeEndsTheStart() {
        for (String wrong : new String[] {"--pool=ten", "--max-connections=8192", "--loops=2"}) {
            assertThrows(IllegalArgumentException.class, () -> parse(wrong), wrong);
        }
        assertEquals(-1, parse("--max-connections=-1").number("max-connections"));
    }

    @Test
    void aQueryReplacesThatOfTheRemote() {
        Options options = parse("--remote.url=http://host:9/work?a=1&b=0");
        assertEquals("http://host:9/work?a=1&b=0", options.remote(null).toString());
        assertEquals("http://host:9/work?a=2", options.remote("a=2").toString());
    }

    @Test
    void aJdbcUrlHasAllThatOtherDriversAreTold() {
        DatabaseAddress address = parse(
                        "--spring.datasource.url=jdbc:mariadb://host:4711/shop?sslMode=disable",
                        "--spring.datasource.username=kim")
                .database();
        assertEquals(
                List.of("host", 4711, "shop", "kim"),
                List.of(address.host(), address.port(), address.name(), address.user()));
    }

    private static Options parse(String... arguments) {
        return StackOptions.parse(arguments, Map.of("threads", "200"));
    }
}
