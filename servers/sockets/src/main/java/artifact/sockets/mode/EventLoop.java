package artifact.sockets.mode;

import artifact.sockets.server.EventLoopServer;
import artifact.sockets.server.Mode;
import artifact.sockets.server.ServerOptions;
import artifact.sockets.server.WholeNumber;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * One thread for all connections. A request that waits costs a timer rather than a thread, but a
 * request that computes delays all others of its loop.
 */
@Command(
        name = "EventLoop",
        description = "Serves all connections by a few threads, each waiting for those of its connections that are"
                + " ready (non-blocking NIO); sleep_ms is a timer there and delays no other request, cpu_us delays"
                + " all requests of its thread.")
public final class EventLoop implements Mode {

    @Mixin
    private ServerOptions options;

    @Option(
            names = "--loops",
            paramLabel = "<threads>",
            converter = WholeNumber.Count.class,
            description = "Threads that serve connections (default: one per CPU, here ${DEFAULT-VALUE}). With more"
                    + " than one, another thread accepts.")
    private int loops = Runtime.getRuntime().availableProcessors();

    @Override
    public void serve() throws IOException {
        EventLoopServer.serve(options, loops);
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new EventLoop(), args);
    }
}
