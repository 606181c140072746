package artifact.stacks.common;

import java.net.URI;

/** Where the database is, in parts for the drivers that take no JDBC URL. */
public record DatabaseAddress(String jdbcUrl, String host, int port, String name, String user, String password) {

    static DatabaseAddress of(String jdbcUrl, String user) {
        URI uri = URI.create(jdbcUrl.substring("jdbc:".length()));
        String password = System.getenv().getOrDefault("SPRING_DATASOURCE_PASSWORD", "");
        return new DatabaseAddress(
                jdbcUrl, uri.getHost(), uri.getPort(), uri.getPath().substring(1), user, password);
    }
}
