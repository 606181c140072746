package artifact.sockets.published;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;
import artifact.sockets.handler.*;
import artifact.sockets.http.Request;

/**
 * A connection as the published servers handle it: one request, one answer, closed.
 *
 * <p>Unchanged, because they are measured: no {@code Connection} field though the socket is closed
 * after every answer; readers and writers in the platform's charset; no time limit on a client; every
 * answer is a 200; a request that does not look as expected ends the thread with an exception; an
 * input-output error is printed and thrown on. The answer's content and its work are the project's.
 */
public final class PublishedConnection implements Runnable {

    private static final Handler ROUTES = new Routes();

    private final Socket socket;

    public PublishedConnection(Socket socket) {
        this.socket = socket;
    }

    @Override
    public void run() {
        try (var reader = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                var writer = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()))) {
            String requestLine = reader.readLine();
            if (requestLine == null) {
                return;
            }
            readFields(reader);
            Answer answer = ROUTES.handle(request(requestLine));
            answer.work().burnCpu();
            answer.work().sleep();
            writer.write(head(answer) + new String(answer.response().body(), UTF_8));
            writer.flush();
        } catch (IOException failure) {
            failure.printStackTrace();
            throw new RuntimeException(failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static Request request(String requestLine) {
        String[] words = requestLine.split(" ");
        String[] target = words[1].split("\\?", 2);
        return new Request(words[0], target[0], target.length > 1 ? target[1] : "", false);
    }

    /** The published servers keep the fields in a map; a field without a value ends the thread, as there. */
    private static Map<String, String> readFields(BufferedReader reader) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (String line = reader.readLine(); line != null && !line.isEmpty(); line = reader.readLine()) {
            String[] field = line.split(": ");
            fields.put(field[0], field[1]);
        }
        return fields;
    }

    /** With the 42-byte page this is 80 bytes, so that 122 cross the wire as published. */
    private static String head(Answer answer) {
        return "HTTP/1.1 200 OK\r\n"
                + "Content-Length: " + answer.response().body().length + "\r\n"
                + "Content-Type: text/plain; charset=UTF-8\r\n\r\n";
    }
}
