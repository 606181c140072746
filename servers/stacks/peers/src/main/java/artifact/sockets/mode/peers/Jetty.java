package artifact.sockets.mode.peers;

import artifact.stacks.common.Options;
import artifact.stacks.common.StackOptions;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty, with a virtual thread for every request. */
public final class Jetty {

    private Jetty() {}

    public static void main(String[] arguments) throws Exception {
        Options options = StackOptions.parse(arguments, Map.of());
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(options.number("port"));
        connector.setAcceptQueueSize(options.number("backlog"));
        server.addConnector(connector);
        server.setHandler(new Answering());
        server.start();
        System.out.println("listening on 127.0.0.1:" + connector.getLocalPort());
    }

    private static final class Answering extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, Page.TYPE);
            response.write(true, ByteBuffer.wrap(Page.body()), callback);
            return true;
        }
    }
}
