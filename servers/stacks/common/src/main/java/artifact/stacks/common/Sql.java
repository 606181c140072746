package artifact.stacks.common;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The statements of the service, for MariaDB. */
public final class Sql {

    public static final String PASSWORD_OF = "SELECT password FROM members WHERE email = ?";
    public static final String INSERT_ORDER = "INSERT INTO orders (item, quantity) VALUES (?, ?)";
    public static final String COUNT_ORDERS = "SELECT COUNT(*) FROM orders";

    /** One salt for all: what a check costs does not depend on it, and a start need not hash a thousand times. */
    private static final byte[] SALT = "salt of everyone".getBytes(StandardCharsets.US_ASCII);

    private Sql() {}

    /** Run before the first request: the tables, and the members member-0001@mail.com to member-1000@mail.com. */
    public static List<String> setUp() {
        return List.of(
                "CREATE TABLE IF NOT EXISTS members (email VARCHAR(64) PRIMARY KEY, password VARCHAR(128) NOT NULL)",
                "CREATE TABLE IF NOT EXISTS orders"
                        + " (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT NOT NULL, quantity INT NOT NULL)",
                "INSERT IGNORE INTO members SELECT CONCAT('member-', LPAD(seq, 4, '0'), '@mail.com'), '"
                        + Passwords.hash("password1234", SALT) + "' FROM seq_1_to_1000");
    }
}
