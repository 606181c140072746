package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.*;

import module java.sql;
import artifact.spring.App;
import artifact.stacks.common.PoolWaits;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    @ValueSource(strings = {"kind=scan", "times=1001", "think_ms=-1"})
    void refusesAParameter(String parameter) throws Exception {
        assertEquals(400, app.get("/api/query-test?" + parameter).statusCode());
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
