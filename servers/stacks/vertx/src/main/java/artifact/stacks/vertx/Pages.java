package artifact.stacks.vertx;

import artifact.stacks.common.Answer;
import artifact.stacks.common.Login;
import artifact.stacks.common.Options;
import artifact.stacks.common.Order;
import artifact.stacks.common.Rejected;
import artifact.stacks.common.Sql;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Iterator;
import java.util.function.Function;

/** The pages on one event loop, which nothing may block. */
final class Pages extends VerticleBase {

    private static final long TIMEOUT_MS = 10_000;

    private final Options options;
    private final Pool database;
    private final WebClient client;
    private WorkerExecutor passwords;

    Pages(Options options, Pool database, WebClient client) {
        this.options = options;
        this.database = database;
        this.client = client;
    }

    @Override
    public Future<?> start() {
        int workers = options.number("password-workers");
        // Shared by name: one pool for all event loops.
        passwords = workers == 0 ? null : vertx.createSharedWorkerExecutor("passwords", workers);
        HttpServerOptions limits = new HttpServerOptions()
                .setHost("127.0.0.1")
                .setPort(options.number("port"))
                .setAcceptBacklog(options.number("backlog"))
                .setIdleTimeout(options.number("idle-timeout-s"))
                .setMaxHeaderSize(options.number("header-bytes"));
        return vertx.createHttpServer(limits).requestHandler(router()).listen();
    }

    private Router router() {
        Router router = Router.router(vertx);
        router.post().handler(BodyHandler.create(false).setBodyLimit(options.number("body-bytes")));
        router.get("/ping").handler(page(request -> Future.succeededFuture(Answer.text("OK"))));
        router.get("/plain").handler(page(request -> Future.succeededFuture(Answer.plain())));
        router.get("/remote").handler(page(request -> ask(request).map(Answer::html)));
        router.post("/login").handler(page(request -> login(Login.of(body(request)))));
        router.post("/order").handler(page(request -> order(Order.of(body(request)), request)));
        router.post("/order-outside").handler(page(request -> orderOutside(Order.of(body(request)), request)));
        router.get("/orders/count").handler(page(request -> countOrders()));
        router.get("/counters").handler(page(request -> Future.succeededFuture(Answer.noCounters())));
        router.get("/limits").handler(page(request -> Future.succeededFuture(options.limits())));
        return router;
    }

    private Future<Answer> login(Login login) {
        return database.preparedQuery(Sql.PASSWORD_OF)
                .execute(Tuple.of(login.email()))
                .map(rows -> first(rows, row -> row.getString(0)))
                .compose(stored -> passwords == null
                        ? Future.succeededFuture(Answer.loggedIn(login, stored))
                        : passwords.executeBlocking(() -> Answer.loggedIn(login, stored), false));
    }

    private Future<Answer> order(Order order, RoutingContext request) {
        return database.withTransaction(connection -> insert(connection, order)
                .compose(done -> ask(request))
                .map(answer -> Answer.ordered()));
    }

    private Future<Answer> orderOutside(Order order, RoutingContext request) {
        return ask(request)
                .compose(answer -> database.withTransaction(connection -> insert(connection, order)))
                .map(done -> Answer.ordered());
    }

    private Future<Answer> countOrders() {
        return database.query(Sql.COUNT_ORDERS)
                .execute()
                .map(rows -> Answer.text(first(rows, row -> row.getLong(0))));
    }

    private static Future<RowSet<Row>> insert(SqlClient connection, Order order) {
        return connection.preparedQuery(Sql.INSERT_ORDER).execute(Tuple.of(order.item(), order.quantity()));
    }

    /** Fails with {@link Rejected} if the remote does not answer with 200. */
    private Future<byte[]> ask(RoutingContext request) {
        String url = options.remote(request.request().query()).toString();
        return client.getAbs(url)
                .timeout(TIMEOUT_MS)
                .send()
                .recover(failure -> Future.failedFuture(Rejected.remoteFailed()))
                .map(Pages::checked);
    }

    private static byte[] checked(HttpResponse<Buffer> answer) {
        if (answer.statusCode() != 200) {
            throw Rejected.remoteFailed();
        }
        return answer.body().getBytes();
    }

    private static <T> T first(RowSet<Row> rows, Function<Row, T> column) {
        Iterator<Row> all = rows.iterator();
        return all.hasNext() ? column.apply(all.next()) : null;
    }

    private static byte[] body(RoutingContext request) {
        Buffer body = request.body().buffer();
        return body == null ? new byte[0] : body.getBytes();
    }

    private static Handler<RoutingContext> page(Function<RoutingContext, Future<Answer>> page) {
        return request -> answered(page, request)
                .onSuccess(answer -> send(request, answer))
                .onFailure(failure -> fail(request, failure));
    }

    /** Makes a failed future of an exception that a page throws before it has a future. */
    private static Future<Answer> answered(Function<RoutingContext, Future<Answer>> page, RoutingContext request) {
        try {
            return page.apply(request);
        } catch (Rejected rejected) {
            return Future.failedFuture(rejected);
        }
    }

    private static void fail(RoutingContext request, Throwable failure) {
        if (failure instanceof Rejected rejected) {
            send(request, rejected.answer());
        } else {
            request.fail(failure);
        }
    }

    private static void send(RoutingContext request, Answer answer) {
        request.response()
                .setStatusCode(answer.status())
                .putHeader("Content-Type", answer.type())
                .end(Buffer.buffer(answer.body()));
    }
}
