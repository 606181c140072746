package artifact.sockets.mode;

import artifact.sockets.server.BlockingServer;
import artifact.sockets.server.Mode;
import artifact.sockets.server.ServerOptions;
import artifact.sockets.server.VirtualWaits;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A virtual thread for every connection: the same code as {@link ThreadPerRequest}, without a kernel
 * thread to start. Nothing limits their number but the heap.
 */
@Command(
        name = "VirtualThreadPerRequest",
        description = "Starts a new virtual thread for every connection, as many as there are connections.")
public final class VirtualThreadPerRequest implements Mode {

    @Mixin
    private ServerOptions options;

    @Override
    public void serve() throws IOException {
        VirtualWaits.prepare();
        BlockingServer.serve(options, Thread.ofVirtual().name("handler-", 0)::start);
    }

    public static void main(String[] args) throws IOException {
        Mode.run(new VirtualThreadPerRequest(), args);
    }
}
