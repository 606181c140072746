package artifact.sockets.mode;

import artifact.sockets.server.*;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        description = "Starts a new platform thread for every connection, which costs more CPU time than answering a"
                + " short request. Nothing limits their number but the kernel and memory.")
public final class ThreadPerRequest implements Mode {

    @Mixin
    private ServerOptions options;

    @Override
    public void serve() throws Exception {
        BlockingServer.serve(options, Thread.ofPlatform().name("handler-", 0)::start);
    }
}
