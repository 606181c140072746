package artifact.sockets.mode;

import artifact.sockets.server.*;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        description = "Serves connections by a bounded thread pool with a bounded queue, so that no request pays for"
                + " starting a thread. When both are full, a client gets 503 immediately rather than a late"
                + " answer.")
public final class FixedPool implements Mode {

    @Mixin
    private ServerOptions options;

    @Mixin
    private PoolOptions pool;

    @Override
    public void serve() throws Exception {
        BlockingServer.serve(options, pool.newPool());
    }
}
