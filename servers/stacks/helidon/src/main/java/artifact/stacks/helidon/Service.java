package artifact.stacks.helidon;

import module java.base;
import artifact.stacks.common.*;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.*;
import io.helidon.webserver.http1.Http1Config;
import java.sql.SQLException;

/**
 * The service on Helidon SE, which has a virtual thread per connection: no thread starts for a request,
 * and what a thread caches lasts until its connection closes.
 */
public final class Service {

    private final Options options;
    private final Permits permits;
    private final Remote remote;
    private final Jdbc database;

    private Service(Options options) throws SQLException {
        this.options = options;
        permits = new Permits(options.number("permits"));
        remote = new Remote(options);
        database = new Jdbc(options);
    }

    public static void main(String[] arguments) throws SQLException {
        Options options = StackOptions.parse(arguments, Map.of("permits", "0"));
        Service service = new Service(options);
        WebServer server = WebServer.builder()
                .host("127.0.0.1")
                .port(options.number("port"))
                .backlog(options.number("backlog"))
                .idleConnectionTimeout(Duration.ofSeconds(options.number("idle-timeout-s")))
                // How often it looks for them: every two minutes by default.
                .idleConnectionPeriod(Duration.ofSeconds(1))
                .maxPayloadSize(options.number("body-bytes"))
                .addProtocol(Http1Config.builder()
                        .maxHeadersSize(options.number("header-bytes"))
                        .build())
                .routing(service::route)
                .build()
                .start();
        System.out.println("listening on 127.0.0.1:" + server.port());
    }

    private void route(HttpRouting.Builder routing) {
        routing.error(Rejected.class, (request, response, rejected) -> send(response, rejected.answer()))
                .get("/ping", (request, response) -> send(response, Answer.text("OK")))
                .get("/plain", (request, response) -> permitted(response, Answer::plain))
                .get("/remote", (request, response) -> permitted(response, () -> Answer.html(ask(request))))
                .post("/login", (request, response) -> permitted(response, () -> login(Login.of(body(request)))))
                .post("/order", (request, response) -> permitted(response, () -> order(request)))
                .post("/order-outside", (request, response) -> permitted(response, () -> orderOutside(request)))
                .get("/orders/count", (request, response) -> send(response, Answer.text(database.countOrders())))
                .get("/counters", (request, response) -> send(response, database.counters()))
                .get("/limits", (request, response) -> send(response, options.limits()));
    }

    private Answer login(Login login) throws SQLException {
        return Answer.loggedIn(login, database.passwordOf(login.email()));
    }

    private Answer order(ServerRequest request) throws SQLException {
        database.order(Order.of(body(request)), () -> ask(request));
        return Answer.ordered();
    }

    private Answer orderOutside(ServerRequest request) throws SQLException {
        Order order = Order.of(body(request));
        ask(request);
        database.order(order, () -> {});
        return Answer.ordered();
    }

    private byte[] ask(ServerRequest request) {
        return remote.ask(request.query().rawValue());
    }

    private void permitted(ServerResponse response, Permits.Work<Answer, SQLException> work) throws SQLException {
        send(response, permits.within(work));
    }

    private static byte[] body(ServerRequest request) {
        return request.content().as(byte[].class);
    }

    private static void send(ServerResponse response, Answer answer) {
        response.status(answer.status());
        response.header(HeaderNames.CONTENT_TYPE, answer.type());
        response.send(answer.body());
    }
}
