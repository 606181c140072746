package artifact.sockets.mode.peers;

import artifact.stacks.common.Options;
import artifact.stacks.common.StackOptions;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executors;

/** The JDK's own HttpServer, with a virtual thread for every request. */
public final class Jdk {

    private Jdk() {}

    public static void main(String[] arguments) throws IOException {
        Options options = StackOptions.parse(arguments, Map.of());
        // Otherwise a body waits until the client has acknowledged its head, and 200 connections may be idle.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", String.valueOf(Integer.MAX_VALUE));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), options.number("port"));
        HttpServer server = HttpServer.create(address, options.number("backlog"));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", Jdk::answer);
        server.start();
        System.out.println("listening on 127.0.0.1:" + server.getAddress().getPort());
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = Page.body();
            exchange.getResponseHeaders().set("Content-Type", Page.TYPE);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
