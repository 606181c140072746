package artifact.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.stacks.common.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mode that was misspelt does not start, and says why. */
class WordsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --client=async             | client is one of blocking, pooled, worker-threads, event-loop, not async
            --client=Blocking          | client is one of blocking, pooled, worker-threads, event-loop, not Blocking
            --http-client=okhttp       | http-client is one of apache, reactor, jdk, boot, not okhttp
            --remote.url=127.0.0.1:80  | remote.url is a URL that begins with http://, not 127.0.0.1:80
            --address=localhost        | address is an IPv4 address of this machine, not localhost
            --lock=none                | lock is one of synchronized, reentrant, shared, not none
            --permits=0                | permits is a whole number from 1, not 0
            --long-threads=0           | long-threads is a whole number from 1, not 0
            --beyond-permits=drop      | beyond-permits is one of wait, answer-503, close, not drop
            --threads=0                | threads is a whole number from 1, not 0
            --threads=fifty            | threads is a whole number from 1, not fifty
            --backlog=-1               | backlog is a whole number, not -1
            --max-connections=0        | max-connections is a whole number from 1, or -1 for no limit, not 0
            --states-every-ms=100ms    | states-every-ms is a whole number from 1, not 100ms
            --virtual=yes              | virtual is true or false, not yes
            --control-percent=-5       | control-percent is a whole number, not -5
            --count-pinned=yes         | count-pinned is true or false, not yes
            --lock                     | --lock is not of the form --name=value
            lock=reentrant             | lock=reentrant is not of the form --name=value
            """)
    void refusesAValueThatAnOptionDoesNotTake(String argument, String reason) {
        assertEquals(reason, assertThrows(IllegalArgumentException.class, () -> Words.parse(argument)).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"--cleint=blocking, cleint", "--server.tomcat.threads.max=50, server.tomcat.threads.max"})
    void refusesAnOptionThatIsNoneAndNamesThoseThereAre(String argument, String name) {
        String reason = assertThrows(IllegalArgumentException.class, () -> Words.parse(argument))
                .getMessage();
        assertTrue(reason.startsWith(name + " is no option; there are address, appender, as-published, "), reason);
        assertTrue(reason.endsWith(" threads, virtual, virtual-threads"), reason);
    }

    @Test
    void defaultsAreThoseOfApplicationProperties() {
        Options options = Words.parse("--port=0", "--virtual=True", "--max-connections=-1");
        assertEquals(0, options.number("port"));
        assertTrue(options.on("virtual"));
        assertEquals(-1, options.number("max-connections"));
        assertEquals(200, options.number("threads"));
        assertEquals(100, options.number("backlog"));
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
}
