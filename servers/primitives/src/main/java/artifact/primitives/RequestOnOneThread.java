package artifact.primitives;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A request accepted, read, answered and closed by one thread, platform or virtual: what remains of the
 * servers when nothing is handed to any other thread. The load comes from outside, as theirs does. A
 * kept-alive connection has the thread to itself, and each of its requests must wake that thread.
 *
 * <p>With {@code ?beside=platform-thread}, {@code pool} or {@code virtual-thread} the request starts, or
 * hands over, an empty task next to its answer. The extra cost is the cost of handing over at this rate.
 * With {@code &sleep_ms=} that task sleeps and then answers in place of the one thread.
 * With {@code ?beside=platform-thread-call} and so on a remote is called, see {@link RemoteCalls}; with
 * {@code ?within=statement} the thread asks a database for a row before it answers, see {@link Database}.
 */
public final class RequestOnOneThread {

    private final Map<String, Executor> besides = Map.of(
            "platform-thread", task -> Thread.ofPlatform().start(task),
            "pool", new ThreadPoolExecutor(10, 20, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(100)),
            "virtual-thread", Thread::startVirtualThread);
    private final byte[] received = new byte[2048];
    /** Connected once a request asks for a statement. */
    private Database database;
    /** Made once a request asks for a call: only then are the clients' libraries needed. */
    private RemoteCalls calls;

    public static void main(String[] args) throws IOException, InterruptedException {
        boolean virtual = args[0].equals("--thread=virtual");
        int port = Integer.parseInt(args[1].substring("--port=".length()));
        try (ServerSocket listener = HttpPage.listen(new ServerSocket(), port)) {
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            builder.start(() -> new RequestOnOneThread().serve(listener)).join();
        }
    }

    /** Serves one client after the other until the listener is closed. */
    void serve(ServerSocket listener) {
        while (!listener.isClosed()) {
            try {
                serve(listener.accept());
            } catch (SQLException refused) {
                throw new IllegalStateException("the database does not answer", refused);
            } catch (IOException gone) {
                // The client went away; the next one has come for its own answer.
            }
        }
    }

    private void serve(Socket client) throws IOException, SQLException {
        client.setTcpNoDelay(true);
        for (String request = read(client); request != null; request = read(client)) {
            String kind = HttpPage.beside(request);
            long sleepMs = HttpPage.sleepMs(request);
            if (sleepMs > 0) {
                besides.get(kind).execute(() -> answerLate(client, sleepMs));
                return;
            }
            startBeside(kind);
            if (request.contains("?within=statement")) {
                askDatabase();
            }
            boolean kept = HttpPage.isKept(request);
            client.getOutputStream().write(HttpPage.answer(kept));
            if (!kept) {
                break;
            }
        }
        client.close();
    }

    private static void answerLate(Socket client, long sleepMs) {
        try (client) {
            Thread.sleep(sleepMs);
            client.getOutputStream().write(HttpPage.answer(false));
        } catch (IOException gone) {
            // The client waits no longer.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void startBeside(String kind) {
        if (kind.endsWith("-call")) {
            calls = calls == null ? new RemoteCalls() : calls;
            calls.start(kind);
        } else if (besides.containsKey(kind)) {
            besides.get(kind).execute(() -> {});
        }
    }

    private void askDatabase() throws SQLException {
        if (database == null) {
            database = new Database();
            database.start();
        }
        database.databaseStatement();
    }

    private String read(Socket client) throws IOException {
        String request = null;
        int length = 0;
        while (request == null) {
            int count = client.getInputStream().read(received, length, received.length - length);
            if (count <= 0) {
                return null;
            }
            length += count;
            request = HttpPage.whole(received, length);
        }
        return request;
    }
}
