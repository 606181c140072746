package artifact.primitives;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A database: what a connection to it costs, and what a statement does on one that is open. CPU time is
 * the client's; on one CPU, where only one side can run, the rest of the time is the database's.
 *
 * <p>System properties {@code database.url} and {@code database.user}, environment variable {@code
 * DATABASE_PASSWORD}.
 */
@State(Scope.Benchmark)
public class Database {

    private Connection kept;
    private PreparedStatement smallest;

    @Setup
    public void start() throws SQLException {
        kept = connect();
        smallest = kept.prepareStatement("SELECT 1");
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
    public int databaseStatement() throws SQLException {
        try (ResultSet result = smallest.executeQuery()) {
            result.next();
            return result.getInt(1);
        }
    }

    @TearDown
    public void stop() throws SQLException {
        kept.close();
    }
}
