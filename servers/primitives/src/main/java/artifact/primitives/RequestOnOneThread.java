package artifact.primitives;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A request over a new connection, accepted, read, answered and closed by one thread: what remains of
 * the servers when nothing is handed to any other thread. Loaded from outside, as they are.
 *
 * <p>{@code GET /cpu} is answered with the CPU time that this thread has used so far, in ns, so that
 * compilers and collectors are left out; all else with a page of 42 bytes.
 */
public final class RequestOnOneThread {

    private static final String PAGE = "-".repeat(42);
    private static final int BACKLOG = 4096;
    private static final int READ_TIMEOUT_MS = 10_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final byte[] received = new byte[2048];

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[0].substring("--port=".length()));
        try (ServerSocket listener = listen(port)) {
            System.out.println("listening on 127.0.0.1:" + listener.getLocalPort());
            new RequestOnOneThread().serve(listener);
        }
    }

    static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, BACKLOG, InetAddress.ofLiteral("127.0.0.1"));
    }

    /** Serves one client after the other until the listener is closed. */
    void serve(ServerSocket listener) throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            try (client) {
                client.setTcpNoDelay(true);
                client.setSoTimeout(READ_TIMEOUT_MS);
                String request = read(client.getInputStream());
                client.getOutputStream().write(answer(request));
            } catch (IOException gone) {
                // The client went away; the next one has come for its own answer.
            }
        }
    }

    private String read(InputStream in) throws IOException {
        String request = "";
        int length = 0;
        while (!request.endsWith("\r\n\r\n")) {
            int count = in.read(received, length, received.length - length);
            if (count <= 0) {
                throw new IOException("no whole request");
            }
            length += count;
            request = new String(received, 0, length, StandardCharsets.ISO_8859_1);
        }
        return request;
    }

    private byte[] answer(String request) {
        String body = request.startsWith("GET /cpu ") ? Long.toString(threads.getCurrentThreadCpuTime()) : PAGE;
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n";
        return (head + body).getBytes(StandardCharsets.ISO_8859_1);
    }
}
