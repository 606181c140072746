package artifact.stacks.jdk;

import artifact.stacks.common.Answer;
import artifact.stacks.common.Jdbc;
import artifact.stacks.common.Login;
import artifact.stacks.common.Options;
import artifact.stacks.common.Order;
import artifact.stacks.common.Permits;
import artifact.stacks.common.Rejected;
import artifact.stacks.common.StackOptions;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Executors;

/** The service on the JDK alone: its HttpServer with a virtual thread for every request. */
public final class Service {

    private final Options options;
    private final Permits permits;
    private final Remote remote;
    private final Jdbc database;
    private final int bodyBytes;

    private Service(Options options) throws SQLException {
        this.options = options;
        permits = new Permits(options.number("permits"));
        remote = new Remote(options);
        database = new Jdbc(options);
        bodyBytes = options.number("body-bytes");
    }

    public static void main(String[] arguments) throws IOException, SQLException {
        Options options = StackOptions.parse(arguments, Map.of("permits", "0"));
        setLimits(options);
        Service service = new Service(options);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), options.number("port"));
        HttpServer server = HttpServer.create(address, options.number("backlog"));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", service::handle);
        server.start();
        System.out.println("listening on 127.0.0.1:" + server.getAddress().getPort());
    }

    /** Sets limits that are system properties only, read when the first class of the server is loaded. */
    private static void setLimits(Options options) {
        System.setProperty("sun.net.httpserver.idleInterval", String.valueOf(options.number("idle-timeout-s")));
        // How often it looks for them: every ten seconds by default.
        System.setProperty("sun.net.httpserver.clockTick", "1000");
        // By default 200 connections may be idle, and all others are closed after their answer.
        System.setProperty("sun.net.httpserver.maxIdleConnections", String.valueOf(Integer.MAX_VALUE));
        System.setProperty("sun.net.httpserver.maxReqHeaderSize", String.valueOf(options.number("header-bytes")));
        // Otherwise an answer's body waits until the client has acknowledged its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private Answer answer(HttpExchange exchange) throws Exception {
        String query = exchange.getRequestURI().getRawQuery();
        return switch (exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath()) {
            case "GET /ping" -> Answer.text("OK");
            case "GET /plain" -> Answer.plain();
            case "GET /remote" -> Answer.html(remote.ask(query));
            case "POST /login" -> login(Login.of(body(exchange)));
            case "POST /order" -> order(Order.of(body(exchange)), query);
            case "POST /order-outside" -> orderOutside(Order.of(body(exchange)), query);
            case "GET /orders/count" -> Answer.text(database.countOrders());
            case "GET /counters" -> database.counters();
            case "GET /limits" -> options.limits();
            default -> throw Rejected.noSuchPage();
        };
    }

    private Answer login(Login login) throws SQLException {
        return Answer.loggedIn(login, database.passwordOf(login.email()));
    }

    private Answer order(Order order, String query) throws SQLException {
        database.order(order, () -> remote.ask(query));
        return Answer.ordered();
    }

    private Answer orderOutside(Order order, String query) throws SQLException {
        remote.ask(query);
        database.order(order, () -> {});
        return Answer.ordered();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            send(exchange, answerOrReason(exchange));
        }
    }

    private Answer answerOrReason(HttpExchange exchange) throws IOException {
        try {
            return permits.within(() -> answer(exchange));
        } catch (Rejected rejected) {
            return rejected.answer();
        } catch (Exception failure) {
            throw new IOException(failure);
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", answer.type());
        exchange.sendResponseHeaders(answer.status(), answer.body().length);
        exchange.getResponseBody().write(answer.body());
    }

    private byte[] body(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(bodyBytes + 1);
        if (body.length > bodyBytes) {
            throw Rejected.bodyTooLong();
        }
        return body;
    }
}
