package artifact.stacks.vertx;

import artifact.stacks.common.DatabaseAddress;
import artifact.stacks.common.Options;
import artifact.stacks.common.Sql;
import artifact.stacks.common.StackOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.mysqlclient.MySQLBuilder;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.sqlclient.Pool;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The service on Vert.x: the same pages on every event loop, with one pool of connections for all. */
public final class Service {

    private Service() {}

    public static void main(String[] arguments) throws Exception {
        int cpus = Runtime.getRuntime().availableProcessors();
        Options options =
                StackOptions.parse(arguments, Map.of("loops", String.valueOf(cpus), "password-workers", "0"));
        int loops = options.number("loops");
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        Pool database = database(vertx, options);
        WebClient client = client(vertx, options);
        setUp(database)
                .compose(done -> vertx.deployVerticle(
                        () -> new Pages(options, database, client), new DeploymentOptions().setInstances(loops)))
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        System.out.println("listening on 127.0.0.1:" + options.number("port"));
    }

    private static Pool database(Vertx vertx, Options options) {
        DatabaseAddress address = options.database();
        MySQLConnectOptions connection = new MySQLConnectOptions()
                .setHost(address.host())
                .setPort(address.port())
                .setDatabase(address.name())
                .setUser(address.user())
                .setPassword(address.password())
                // Otherwise every statement is prepared again: a round trip more than by JDBC.
                .setCachePreparedStatements(true);
        io.vertx.sqlclient.PoolOptions pool =
                new io.vertx.sqlclient.PoolOptions().setMaxSize(options.number("pool"));
        return MySQLBuilder.pool(
                builder -> builder.with(pool).connectingTo(connection).using(vertx));
    }

    private static WebClient client(Vertx vertx, Options options) {
        // Five by default.
        PoolOptions pool = new PoolOptions().setHttp1MaxSize(options.number("client-connections"));
        return WebClient.create(vertx, new WebClientOptions(), pool);
    }

    private static Future<?> setUp(Pool database) {
        Future<?> done = Future.succeededFuture();
        for (String sql : Sql.setUp()) {
            done = done.compose(before -> database.query(sql).execute());
        }
        return done;
    }
}
