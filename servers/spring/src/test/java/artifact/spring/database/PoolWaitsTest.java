package artifact.spring.database;

import static org.junit.jupiter.api.Assertions.*;

import artifact.stacks.common.PoolWaits;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;

/** On a pool of one connection, which the test holds. */
class PoolWaitsTest {

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
