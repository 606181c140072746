package artifact.primitives;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * A request accepted, read, answered and closed by one thread that waits for all connections together.
 * With {@code ?sleep_ms=} the answer waits for a timer of the selector; all requests wait equally long,
 * so they end in the order in which they came.
 */
public final class RequestThroughSelector {

    private record Waiting(long dueNs, SocketChannel client, boolean kept) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final ByteBuffer received = ByteBuffer.allocate(2048);
    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener;

    RequestThroughSelector(ServerSocketChannel listener) throws IOException {
        this.listener = listener;
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(args[0].substring("--port=".length()));
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            HttpPage.listen(listener.socket(), port);
            new RequestThroughSelector(listener).serve();
        }
    }

    /** Serves all clients until the listener is closed. */
    void serve() throws IOException {
        while (listener.isOpen()) {
            selector.select(this::ready, untilNextMs());
            while (!waiting.isEmpty() && waiting.peek().dueNs() <= System.nanoTime()) {
                answerLate(waiting.poll());
            }
        }
    }

    /** 0, for ever, where nothing waits. */
    private long untilNextMs() {
        if (waiting.isEmpty()) {
            return 0;
        }
        long ns = waiting.peek().dueNs() - System.nanoTime();
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(ns + 999_999));
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                serveNext((SocketChannel) key.channel());
            }
        } catch (IOException gone) {
            // The client went away, and its key goes with its channel.
        }
    }

    private void accept() throws IOException {
        for (SocketChannel client = listener.accept(); client != null; client = listener.accept()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ);
        }
    }

    private void serveNext(SocketChannel client) throws IOException {
        int length = client.read(received.clear());
        String request = length <= 0 ? null : HttpPage.whole(received.array(), length);
        if (request == null) {
            client.close();
            return;
        }
        long sleepMs = HttpPage.sleepMs(request);
        if (sleepMs == 0) {
            answer(client, HttpPage.isKept(request));
            return;
        }
        long dueNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(sleepMs);
        waiting.add(new Waiting(dueNs, client, HttpPage.isKept(request)));
    }

    private static void answerLate(Waiting late) {
        try {
            answer(late.client(), late.kept());
        } catch (IOException gone) {
            // The client waits no longer.
        }
    }

    private static void answer(SocketChannel client, boolean kept) throws IOException {
        client.write(ByteBuffer.wrap(HttpPage.answer(kept)));
        if (!kept) {
            client.close();
        }
    }
}
