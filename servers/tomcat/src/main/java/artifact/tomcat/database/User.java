package artifact.tomcat.database;

/** The JSON that somebody signs up with. */
record User(String name, String email, String password) {}
