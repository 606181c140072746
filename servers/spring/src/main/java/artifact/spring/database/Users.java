package artifact.spring.database;

import org.springframework.jdbc.core.JdbcTemplate;

/** The table of those who have signed up. */
class Users {

    private final JdbcTemplate jdbc;

    Users(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * The password is stored as it is given, as in the published program: hashing would be what is
     * measured.
     *
     * @throws org.springframework.dao.DuplicateKeyException when the e-mail address is there already
     * @throws org.springframework.dao.DataIntegrityViolationException when a field is missing or too long
     */
    void add(User user) {
        jdbc.update(
                "INSERT INTO users (email, name, password) VALUES (?, ?, ?)",
                user.email(),
                user.name(),
                user.password());
    }

    long count() {
        return jdbc.queryForObject("SELECT COUNT(*) FROM users", Long.class);
    }
}
