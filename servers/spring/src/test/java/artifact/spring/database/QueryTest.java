package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryTest {

    private static App app;

    @BeforeAll
    static void start() {
        app = App.start(App.h2("queries"));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void readsARowByItsKey() throws Exception {
        assertEquals("OK", app.get("/api/query-test?kind=point").body());
        assertEquals("OK", app.get("/api/query-test").body());
    }

    @Test
    void saysWhichQueriesThereAre() throws Exception {
        HttpResponse<String> unknown = app.get("/api/query-test?kind=scan");
        assertEquals(400, unknown.statusCode());
        assertTrue(unknown.body().contains("kind is point or wait, not scan"), unknown.body());
    }

    @Test
    void needsMariaDbToWaitInADatabase() throws Exception {
        HttpResponse<String> onH2 = app.get("/api/query-test?kind=wait");
        assertEquals(501, onH2.statusCode());
        assertTrue(onH2.body().startsWith("kind=wait needs MariaDB"), onH2.body());
    }

    @Test
    void countsTheConnectionsThatThePoolHandsOut() throws Exception {
        long before = poolWaits();
        app.get("/api/query-test");
        app.get("/api/query-test");
        assertEquals(before + 2, poolWaits());
    }

    @Test
    void eachOfSeveralQueriesTakesAConnectionAndPauses() throws Exception {
        long before = poolWaits();
        long start = System.nanoTime();
        assertEquals("OK", app.get("/api/query-test?kind=point&times=20&think_ms=2").body());
        assertTrue(System.nanoTime() - start >= 40_000_000);
        assertEquals(before + 20, poolWaits());
    }

    @ParameterizedTest
    @CsvSource({"times, 0", "times, 1001", "think_ms, -1", "think_ms, 1001"})
    void refusesAParameterAndNamesIt(String parameter, String value) throws Exception {
        HttpResponse<String> refusal = app.get("/api/query-test?" + parameter + "=" + value);
        assertEquals(400, refusal.statusCode());
        assertTrue(refusal.body().contains(parameter + " is a whole number from "), refusal.body());
        assertTrue(refusal.body().contains("not " + value), refusal.body());
    }

    private static long poolWaits() throws Exception {
        String counters = app.get("/counters").body();
        assertTrue(
                counters.matches("\\{\"pool_timeouts\":0,\"pool_wait_ms\":[0-9.]+,\"pool_waits\":[0-9]+}"), counters);
        return Long.parseLong(counters.replaceAll(".*:|}", ""));
    }
}
