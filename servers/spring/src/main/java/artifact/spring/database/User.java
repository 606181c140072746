package artifact.spring.database;

/** The JSON that somebody signs up with. */
record User(String name, String email, String password) {}
