package artifact.database;

/** How to log in: JDBC address, user and password. */
public record Account(String url, String user, String password) {

    /** Without the password: records are printed. */
    @Override
    public String toString() {
        return "Account[" + user + " at " + url + "]";
    }
}
