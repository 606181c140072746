package artifact.database;

import module java.sql;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Where a transaction gets its connection; closing the connection gives it back or ends it. */
interface Connections extends AutoCloseable {

    Connection get() throws SQLException;

    @Override
    default void close() {}

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
