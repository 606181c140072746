package artifact.primitives;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The least that a server must know of HTTP: where a request ends, what it asks for, a page of 42 bytes. */
final class HttpPage {

    private static final Pattern SLEEP = Pattern.compile("[?&]sleep_ms=(\\d+)");
    private static final Pattern BESIDE = Pattern.compile("[?&]beside=([a-z-]+)");
    private static final byte[] ONCE = page("close");
    private static final byte[] KEPT = page("keep-alive");
    private static final int BACKLOG = 4096;

    private HttpPage() {}

    /** Listens on loopback and says so. */
    static ServerSocket listen(ServerSocket listener, int port) throws IOException {
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), BACKLOG);
        System.out.println("listening on 127.0.0.1:" + listener.getLocalPort());
        return listener;
    }

    /** The text of a request that is whole; null while some of it is missing. */
    static String whole(byte[] received, int length) {
        String text = new String(received, 0, length, StandardCharsets.ISO_8859_1);
        return text.endsWith("\r\n\r\n") ? text : null;
    }

    static boolean isKept(String request) {
        return !request.contains("Connection: close");
    }

    /** For how long the request asks something to wait, 0 where it says nothing. */
    static long sleepMs(String request) {
        Matcher asked = SLEEP.matcher(request);
        return asked.find() ? Long.parseLong(asked.group(1)) : 0;
    }

    /** The extra work that the request names; empty where it names none. */
    static String beside(String request) {
        Matcher asked = BESIDE.matcher(request);
        return asked.find() ? asked.group(1) : "";
    }

    static byte[] answer(boolean kept) {
        return kept ? KEPT : ONCE;
    }

    private static byte[] page(String connection) {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: 42\r\nConnection: "
                + connection + "\r\n\r\n";
        return (head + "-".repeat(42)).getBytes(StandardCharsets.ISO_8859_1);
    }
}
