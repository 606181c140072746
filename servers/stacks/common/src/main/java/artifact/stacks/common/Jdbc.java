package artifact.stacks.common;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.*;

/** Plain JDBC behind HikariCP, for the stacks without a database library of their own. */
public final class Jdbc {

    private final PoolWaits waits = new PoolWaits();
    private final HikariDataSource pool;

    public Jdbc(Options options) throws SQLException {
        pool = new HikariDataSource(config(options));
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : Sql.setUp()) {
                statement.execute(sql);
            }
        }
    }

    private HikariConfig config(Options options) {
        DatabaseAddress database = options.database();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(options.number("pool"));
        config.setMetricsTrackerFactory(waits);
        return config;
    }

    public Answer counters() {
        return Answer.json(200, waits.counters());
    }

    /** Returns the stored password of the member; null if there is no such member. */
    public String passwordOf(String email) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement(Sql.PASSWORD_OF)) {
            select.setString(1, email);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }

    /** Inserts the order and does the rest in one transaction, which no failure of either leaves a trace of. */
    public void order(Order order, Runnable rest) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement begin = connection.createStatement()) {
            // One round trip, where to leave auto-commit and to return to it would be two.
            begin.execute("BEGIN");
            try {
                insert(connection, order);
                rest.run();
                connection.commit();
            } catch (SQLException | RuntimeException failure) {
                connection.rollback();
                throw failure;
            }
        }
    }

    public long countOrders() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery(Sql.COUNT_ORDERS)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void insert(Connection connection, Order order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(Sql.INSERT_ORDER)) {
            insert.setInt(1, order.item());
            insert.setInt(2, order.quantity());
            insert.executeUpdate();
        }
    }
}
