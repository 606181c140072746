package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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

    private static long poolWaits() throws Exception {
        String counters = app.get("/counters").body();
        assertTrue(
                counters.matches("\\{\"pool_timeouts\":0,\"pool_wait_ms\":[0-9.]+,\"pool_waits\":[0-9]+}"), counters);
        return Long.parseLong(counters.replaceAll(".*:|}", ""));
    }
}
