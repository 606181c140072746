package artifact.sockets.mode;

import artifact.sockets.server.BlockingServer;
import artifact.sockets.server.Mode;
import artifact.sockets.server.ServerOptions;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A platform thread for every connection. Starting one costs more CPU time than answering a short
 * request, and nothing limits their number but the kernel and memory.
 */
@Command(
        name = "ThreadPerRequest",
        description = "Starts a new platform thread for every connection, as many as there are connections.")
public final class ThreadPerRequest implements Mode {

    @Mixin
    private ServerOptions options;

    @Override
    public void serve() throws IOException {
        BlockingServer.serve(options, Thread.ofPlatform().name("handler-", 0)::start);
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new ThreadPerRequest(), args);
    }
}
