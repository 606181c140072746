package artifact.spring;

import static org.junit.jupiter.api.Assertions.*;

import artifact.stacks.common.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mode that was misspelt does not start, and says why. */
class WordsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client|async|one of blocking, pooled, worker-threads, event-loop
            http-client|okhttp|one of apache, reactor, jdk, boot
            remote.url|127.0.0.1:80|a URL that begins with http://
            address|localhost|an IPv4 address of this machine
            lock|Shared|one of synchronized, reentrant, shared
            permits|0|a whole number from 1
            beyond-permits|drop|one of wait, answer-503, close
            threads|fifty|a whole number from 1
            backlog|-1|a whole number
            max-connections|0|a whole number from 1, or -1 for no limit
            permit-wait-ms|100ms|a whole number
            virtual|yes|true or false
            control-percent|-5|a whole number
            count-pinned|yes|true or false
            """)
    void refusesAValueThatAnOptionDoesNotTake(String name, String value, String allowed) {
        assertEquals(name + " is " + allowed + ", not " + value, reason("--" + name + "=" + value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lock", "lock=reentrant"})
    void refusesAnArgumentOfAnotherForm(String argument) {
        assertEquals(argument + " is not of the form --name=value", reason(argument));
    }

    @Test
    void refusesAnOptionOfSpringAndNamesThoseThereAre() {
        String reason = reason("--server.tomcat.threads.max=50");
        assertTrue(reason.startsWith("server.tomcat.threads.max is no option; there are address, "), reason);
        assertTrue(reason.endsWith(" virtual, virtual-threads"), reason);
    }

    private static String reason(String argument) {
        return assertThrows(IllegalArgumentException.class, () -> Words.parse(argument)).getMessage();
    }

    @Test
    void defaultsAreThoseOfApplicationProperties() {
        Options options = Words.parse("--virtual=True", "--max-connections=-1");
        assertTrue(options.on("virtual"));
        assertEquals(-1, options.number("max-connections"));
        assertEquals(200, options.number("threads"));
        assertEquals(0, options.number("control-percent"));
        assertFalse(options.has("permits"));
    }

    @Test
    void limitsAreThoseThatTheModeHas() throws Exception {
        try (App app = App.start("--threads=7", "--lock=reentrant")) {
            String limits = app.get("/limits").body();
            assertTrue(limits.startsWith("{\"address\":\"127.0.0.1\",\"backlog\":\"100\","), limits);
            assertTrue(limits.contains("\"lock\":\"reentrant\",") && limits.contains("\"threads\":\"7\","), limits);
        }
    }

    @Test
    void aPartIsNotThereWithoutItsOption() throws Exception {
        try (App app = App.start()) {
            for (String path : new String[] {"/api/log-test", "/api/lock-test", "/api/query-test", "/registration"}) {
                assertEquals(404, app.get(path).statusCode(), path);
            }
            assertEquals("{}", app.get("/counters").body());
        }
    }
}
