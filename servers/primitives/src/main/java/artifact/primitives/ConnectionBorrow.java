package artifact.primitives;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Borrowing a connection from HikariCP and giving it back; behind the pool there is no database. */
@State(Scope.Benchmark)
public class ConnectionBorrow {

    private HikariDataSource pool;

    @Setup
    public void start() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(pretended(DataSource.class));
        config.setMaximumPoolSize(10);
        pool = new HikariDataSource(config);
    }

    @Benchmark
    public Connection connectionBorrow() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return connection;
        }
    }

    @TearDown
    public void stop() {
        pool.close();
    }

    /** An object that says yes to every question, gives 0 for every number and does nothing. */
    static <T> T pretended(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answerTo(method)));
    }

    private static Object answerTo(Method method) {
        Class<?> type = method.getReturnType();
        if (type == boolean.class) {
            return !method.getName().equals("isClosed");
        }
        if (type == int.class) {
            return 0;
        }
        return type == Connection.class ? pretended(Connection.class) : null;
    }
}
