package artifact.database;

import module java.sql;
import java.util.SplittableRandom;

/** One transaction, on the table that sysbench's scripts use. */
enum Work {
    /** One row by its primary key: the shortest there is, so that all around it shows. */
    POINT("SELECT c FROM sbtest1 WHERE id = ?", 1),
    /** A hundred rows sorted: the database's CPU is the limit. */
    READ("SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c", 100);

    private final String sql;
    private final int rowsRead;

    Work(String sql, int rowsRead) {
        this.sql = sql;
        this.rowsRead = rowsRead;
    }

    /**
     * Runs one transaction on ids from 1 to {@code rows}.
     *
     * @throws SQLException when the database refuses, or answers with another number of rows than is right
     */
    void run(Connection connection, SplittableRandom random, int rows) throws SQLException {
        int first = random.nextInt(1, rows - rowsRead + 2);
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setInt(1, first);
            if (rowsRead > 1) {
                select.setInt(2, first + rowsRead - 1);
            }
            readAll(select);
        }
    }

    private void readAll(PreparedStatement select) throws SQLException {
        int found = 0;
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                rows.getString(1);
                found++;
            }
        }
        if (found != rowsRead) {
            throw new SQLException(found + " rows instead of " + rowsRead, "02000");
        }
    }
}
