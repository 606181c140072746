package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.*;

import module java.sql;
import artifact.spring.App;
import artifact.stacks.common.PoolWaits;
import com.zaxxer.hikari.HikariDataSource;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryTest {

    @AutoClose
    private static final App app = App.start(App.h2("queries"));

    @Test
    void eachQueryTakesAConnectionAndPauses() throws Exception {
        long before = poolWaits();
        assertEquals("OK", app.get("/api/query-test").body());
        long start = System.nanoTime();
        assertEquals("OK", app.get("/api/query-test?kind=point&times=20&think_ms=2").body());
        assertTrue(System.nanoTime() - start >= 40_000_000);
        assertEquals(before + 21, poolWaits());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            kind=scan|400|kind is point or wait, not scan
            kind=wait|501|kind=wait needs MariaDB
            times=0|400|times is a whole number from 1 to 1000, not 0
            times=1001|400|to 1000, not 1001
            think_ms=-1|400|think_ms is a whole number from 0 to 1000, not -1
            think_ms=1001|400|to 1000, not 1001
            """)
    void refusesAParameterAndSaysWhy(String parameter, int status, String reason) throws Exception {
        HttpResponse<String> refusal = app.get("/api/query-test?" + parameter);
        assertEquals(status, refusal.statusCode());
        assertTrue(refusal.body().contains(reason), refusal.body());
    }

    private static long poolWaits() throws Exception {
        String counters = app.get("/counters").body();
        assertTrue(counters.matches("\\{\"pool_timeouts\":0,\"pool_wait_ms\":[0-9.]+,\"pool_waits\":\\d+}"), counters);
        return Long.parseLong(counters.replaceAll(".*:|}", ""));
    }

    /** On a pool of one connection, which the test holds. */
    @Test
    void countsThoseWhoWaitedAndThoseWhoWaitedInVain() throws Exception {
        PoolWaits waits = new PoolWaits();
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:pool-waits");
            pool.setMaximumPoolSize(1);
            pool.setConnectionTimeout(250);
            pool.setMetricsTrackerFactory(waits);

            try (Connection held = pool.getConnection()) {
                assertThrows(SQLTransientConnectionException.class, pool::getConnection);
            }
            pool.getConnection().close();
        }
        assertEquals(3L, waits.counters().get("pool_waits"));
        assertEquals(1L, waits.counters().get("pool_timeouts"));
        assertTrue(waits.counters().get("pool_wait_ms").doubleValue() >= 250);
    }
}
