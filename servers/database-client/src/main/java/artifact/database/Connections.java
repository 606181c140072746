package artifact.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Where a transaction gets its connection; closing the connection gives it back or ends it. */
public interface Connections extends AutoCloseable {

    Connection get() throws SQLException;

    @Override
    void close();

    /** A new connection for every transaction. */
    static Connections unpooled(Account account) {
        return new Connections() {
            @Override
            public Connection get() throws SQLException {
                return DriverManager.getConnection(account.url(), account.user(), account.password());
            }

            @Override
            public void close() {
                // Every worker closes its own connections.
            }
        };
    }

    /** HikariCP with a fixed number of connections. */
    static Connections pool(Account account, int size, long waitAtMostMs) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(account.url());
        config.setUsername(account.user());
        config.setPassword(account.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setConnectionTimeout(waitAtMostMs);
        HikariDataSource pool = new HikariDataSource(config);
        return new Connections() {
            @Override
            public Connection get() throws SQLException {
                return pool.getConnection();
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }
}
