package artifact.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** One transaction, on the table that sysbench's scripts use. */
public enum Work {
    /** One row by its primary key: the shortest there is, so that all around it shows. */
    POINT {
        @Override
        void run(Connection connection, SplittableRandom random, int rows) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement("SELECT c FROM sbtest1 WHERE id = ?")) {
                select.setInt(1, anyId(random, rows));
                readAll(select, 1);
            }
        }
    },

    /** A hundred rows sorted: the database's CPU is the limit. */
    READ {
        @Override
        void run(Connection connection, SplittableRandom random, int rows) throws SQLException {
            int first = random.nextInt(1, rows - RANGE_ROWS + 2);
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c")) {
                select.setInt(1, first);
                select.setInt(2, first + RANGE_ROWS - 1);
                readAll(select, RANGE_ROWS);
            }
        }
    };

    private static final int RANGE_ROWS = 100;

    /**
     * Runs one transaction on ids from 1 to {@code rows}.
     *
     * @throws SQLException when the database refuses, or answers with another number of rows than is right
     */
    abstract void run(Connection connection, SplittableRandom random, int rows) throws SQLException;

    private static int anyId(SplittableRandom random, int rows) {
        return random.nextInt(1, rows + 1);
    }

    private static void readAll(PreparedStatement select, int expected) throws SQLException {
        int found = 0;
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                rows.getString(1);
                found++;
            }
        }
        if (found != expected) {
            throw new SQLException(found + " rows instead of " + expected, "02000");
        }
    }
}
