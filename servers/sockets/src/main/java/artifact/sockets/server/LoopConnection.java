package artifact.sockets.server;

import module java.base;
import artifact.sockets.handler.Answer;
import artifact.sockets.handler.Handler;
import artifact.sockets.http.*;

/**
 * One client's connection as an event loop serves it: what {@link Connection} keeps in the stack of
 * a waiting thread is a phase here, because the loop's thread may never wait for one client.
 */
final class LoopConnection {

    private enum Phase {
        READING,
        WORKING,
        WRITING,
        LINGERING
    }

    /** The next step once all of an answer is written. */
    private enum Afterwards {
        READ_NEXT,
        CLOSE,
        LINGER
    }

    private static final int READ_BYTES = 2048;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final Loop loop;
    private final Handler handler;
    private final int readTimeoutMs;
    private final RequestParser parser = new RequestParser();
    private final ByteBuffer received = ByteBuffer.allocate(READ_BYTES).limit(0);

    private Phase phase;
    private long deadlineNs;
    private ByteBuffer toSend;
    private Afterwards afterwards;
    private boolean idle;
    private boolean lastAnswer;

    LoopConnection(SocketChannel channel, SelectionKey key, Loop loop, Handler handler, int readTimeoutMs) {
        this.channel = channel;
        this.key = key;
        this.loop = loop;
        this.handler = handler;
        this.readTimeoutMs = readTimeoutMs;
        enter(Phase.READING, SelectionKey.OP_READ, readTimeoutMs);
    }

    /** The channel can do what the phase waits for. */
    void ready() throws IOException {
        switch (phase) {
            case READING -> receive();
            case WRITING -> flush();
            case LINGERING -> discard();
            case WORKING -> throw new IllegalStateException("a working connection waits for a timer only");
        }
        serveReceived();
    }

    /** Ends what has lasted too long; work is never cut short. */
    void expire(long nowNs) {
        if (phase != Phase.WORKING && nowNs - deadlineNs >= 0) {
            close();
        }
    }

    void stop() {
        lastAnswer = true;
        if (idle) {
            close();
        }
    }

    void close() {
        loop.remove(this);
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // Closed is what was wanted.
        }
    }

    private void enter(Phase next, int interestOps, int timeoutMs) {
        phase = next;
        key.interestOps(interestOps);
        deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    private void receive() throws IOException {
        int count = channel.read(received.clear());
        received.flip();
        idle = idle && count == 0;
        if (count < 0) {
            close();
        }
    }

    /** Answers what has been received, one request after the other, until one has to wait. */
    private void serveReceived() throws IOException {
        while (phase == Phase.READING && channel.isOpen()) {
            switch (parser.parse(received)) {
                case Parsed.Complete(Request request) -> perform(handler.handle(request), request);
                case Parsed.Refused(String explanation) ->
                        send(Answer.last(Status.BAD_REQUEST, explanation), false, false);
                case Parsed.Incomplete nothing -> {
                    return;
                }
            }
        }
    }

    private void perform(Answer answer, Request request) throws IOException {
        boolean headOnly = request.method().equals("HEAD");
        answer.work().burnCpu();
        if (answer.work().sleepMs() == 0) {
            send(answer, request.keepAlive(), headOnly);
            return;
        }
        enter(Phase.WORKING, 0, 0);
        loop.after(answer.work().sleepMs(), this, () -> {
            send(answer, request.keepAlive(), headOnly);
            serveReceived();
        });
    }

    private void send(Answer answer, boolean clientKeepsAlive, boolean headOnly) throws IOException {
        boolean keepAlive = clientKeepsAlive && !answer.last() && !lastAnswer;
        boolean clientMaySendMore = clientKeepsAlive || answer.last() || received.hasRemaining();
        toSend = ByteBuffer.wrap(answer.response().encode(keepAlive, headOnly));
        afterwards = keepAlive ? Afterwards.READ_NEXT : clientMaySendMore ? Afterwards.LINGER : Afterwards.CLOSE;
        enter(Phase.WRITING, SelectionKey.OP_WRITE, readTimeoutMs);
        flush();
    }

    private void flush() throws IOException {
        channel.write(toSend);
        if (toSend.hasRemaining()) {
            return;
        }
        switch (afterwards) {
            case READ_NEXT -> readNext();
            case LINGER -> linger();
            case CLOSE -> close();
        }
    }

    private void readNext() {
        enter(Phase.READING, SelectionKey.OP_READ, readTimeoutMs);
        idle = !received.hasRemaining();
        if (idle && lastAnswer) {
            close();
        }
    }

    /** Why a connection lingers: see {@link Connection}. */
    private void linger() throws IOException {
        channel.shutdownOutput();
        enter(Phase.LINGERING, SelectionKey.OP_READ, Connection.LINGER_MS);
    }

    private void discard() throws IOException {
        if (channel.read(received.clear()) < 0) {
            close();
        }
    }
}
