package artifact.sockets.mode;

import artifact.sockets.server.*;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        description = "Starts a new virtual thread for every connection: no kernel thread, and nothing limits their"
                + " number but the heap.")
public final class VirtualThreadPerRequest implements Mode {

    @Mixin
    private ServerOptions options;

    @Override
    public void serve() throws Exception {
        VirtualWaits.prepare();
        BlockingServer.serve(options, Thread.ofVirtual().name("handler-", 0)::start);
    }
}
