package artifact.sockets.server;

import module java.base;
import artifact.sockets.handler.Answer;
import artifact.sockets.handler.Handler;
import artifact.sockets.http.*;

/**
 * One client's connection, served with blocking reads by whichever thread runs it: request after
 * request until either side wants to close. All modes but the event loop differ only in that thread.
 */
public final class Connection implements Runnable {

    /** How long a closing connection waits for the client to have read the last answer. */
    static final int LINGER_MS = 1000;

    private static final int READ_BYTES = 2048;
    private static final long NEVER = Long.MAX_VALUE;

    private final Socket socket;
    private final Handler handler;
    private final int readTimeoutMs;
    private final Connections open;
    /** Between two requests. Not before the first: a client that connected has one on its way. */
    private final AtomicBoolean idle = new AtomicBoolean();

    private final RequestParser parser = new RequestParser();
    private final ByteBuffer received = ByteBuffer.allocate(READ_BYTES).limit(0);
    private volatile boolean lastAnswer;
    /** When the request that is waited for is overdue; NEVER while none is waited for. */
    private volatile long deadlineNs = NEVER;

    Connection(Socket socket, Handler handler, int readTimeoutMs, Connections open) {
        this.socket = socket;
        this.handler = handler;
        this.readTimeoutMs = readTimeoutMs;
        this.open = open;
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            boolean goesOn = true;
            while (goesOn) {
                goesOn = serveNext();
            }
        } catch (IOException gone) {
            // The client went away, or a stop closed the idle connection: no client is left.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(this);
        }
    }

    /** For a graceful stop: closes at once when no request is in flight, otherwise after its answer. */
    void stop() {
        lastAnswer = true;
        if (idle.compareAndSet(true, false)) {
            close();
        }
    }

    /** The same client, which gets only the refusal. */
    Connection refused(Handler refusal) {
        open.remove(this);
        return open.add(new Connection(socket, refusal, readTimeoutMs, open));
    }

    /**
     * Ends a read that has lasted too long: it finds the end of the stream. With a time-out of the
     * socket instead, every read would be a timed wait: two more system calls on a platform thread,
     * and a timer that is set and canceled on a virtual one.
     */
    void expire(long now) {
        long deadline = deadlineNs;
        if (deadline != NEVER && now - deadline >= 0) {
            try {
                socket.shutdownInput();
            } catch (IOException alreadyGone) {
                // Its thread finds that out by itself.
            }
        }
    }

    void close() {
        open.remove(this);
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // Closed is what was wanted.
        }
    }

    /** Reads, performs and answers one request; false when the connection is to be closed. */
    private boolean serveNext() throws IOException, InterruptedException {
        return switch (readRequest()) {
            case Parsed.Complete(Request request) -> {
                Answer answer = handler.handle(request);
                answer.work().burnCpu();
                answer.work().sleep();
                yield send(answer, request.keepAlive(), request.method().equals("HEAD"));
            }
            case Parsed.Refused(String explanation) ->
                    send(Answer.last(Status.BAD_REQUEST, explanation), false, false);
            case Parsed.Incomplete nothing -> false;
        };
    }

    /** Incomplete when the client ended the connection or took too long. */
    private Parsed readRequest() throws IOException {
        deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(readTimeoutMs);
        Parsed parsed = parser.parse(received);
        while (parsed == Parsed.Incomplete.INCOMPLETE && receive()) {
            parsed = parser.parse(received);
        }
        deadlineNs = NEVER;
        return parsed;
    }

    /** Waits for more bytes; false at the end of the stream, or when stopped. */
    private boolean receive() throws IOException {
        int count = socket.getInputStream().read(received.array());
        idle.set(false);
        received.clear().limit(Math.max(count, 0));
        return count > 0;
    }

    private boolean send(Answer answer, boolean clientKeepsAlive, boolean headOnly) throws IOException {
        boolean keepAlive = clientKeepsAlive && !answer.last() && !lastAnswer;
        socket.getOutputStream().write(answer.response().encode(keepAlive, headOnly));
        if (keepAlive) {
            return awaitsNext();
        }
        if (clientKeepsAlive || answer.last() || received.hasRemaining()) {
            linger();
        }
        return false;
    }

    private boolean awaitsNext() {
        if (received.hasRemaining()) {
            return true;
        }
        idle.set(true);
        // A stop that came just before saw no idle connection, so it is up to this thread to end.
        return !lastAnswer;
    }

    /**
     * Waits for the client to close first. A socket closed on unread bytes resets the connection, and
     * a reset takes the answer away from a client that has not read it yet (RFC 9112, section 9.6).
     */
    private void linger() throws IOException {
        socket.shutdownOutput();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MS);
        InputStream in = socket.getInputStream();
        long leftMs = LINGER_MS;
        while (leftMs > 0) {
            socket.setSoTimeout((int) leftMs);
            if (in.read(received.array()) < 0) {
                return;
            }
            leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
    }
}
