package artifact.database;

import module java.sql;

/** How to log in: JDBC address, user and password. */
record Account(String url, String user, String password) {

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
