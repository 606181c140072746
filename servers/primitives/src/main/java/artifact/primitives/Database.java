package artifact.primitives;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A database with sysbench's table: what a connection to it costs, and what asking for one row by its
 * key does on one that is open. Each thread of the benchmark has its own.
 *
 * <p>System properties {@code database.url}, {@code database.user} and {@code database.rows}, environment
 * variable {@code DATABASE_PASSWORD}.
 */
@State(Scope.Thread)
public class Database {

    private final int rows = Integer.getInteger("database.rows");
    private Connection kept;

    @Setup
    public void start() throws SQLException {
        kept = connect();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                System.getProperty("database.url"),
                System.getProperty("database.user"),
                System.getenv("DATABASE_PASSWORD"));
    }

    @Benchmark
    public boolean databaseConnect() throws SQLException {
        try (Connection connection = connect()) {
            return connection.getAutoCommit();
        }
    }

    @Benchmark
    public String databaseStatement() throws SQLException {
        try (PreparedStatement select = kept.prepareStatement("SELECT c FROM sbtest1 WHERE id = ?")) {
            select.setInt(1, ThreadLocalRandom.current().nextInt(1, rows + 1));
            try (ResultSet result = select.executeQuery()) {
                result.next();
                return result.getString(1);
            }
        }
    }

    @TearDown
    public void stop() throws SQLException {
        kept.close();
    }
}
