package artifact.sockets.mode;

import artifact.sockets.server.EventLoopServer;
import artifact.sockets.server.Mode;
import artifact.sockets.server.ServerOptions;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "EventLoop",
        description = "Serves all connections by one thread that waits for whichever is ready (non-blocking NIO);"
                + " sleep_ms is a timer there and holds nobody up, cpu_us holds up everybody.")
public final class EventLoop implements Mode {

    @Mixin
    private ServerOptions options;

    @Override
    public void serve() throws IOException {
        EventLoopServer.serve(options);
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new EventLoop(), args);
    }
}
