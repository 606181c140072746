package artifact.sockets.mode;

import artifact.sockets.server.*;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        description = "Serves all connections by a few threads, each waiting for those of its connections that are"
                + " ready (non-blocking NIO). A request that waits (sleep_ms) costs a timer rather than a thread;"
                + " one that computes (cpu_us) delays all others of its loop.")
public final class EventLoop implements Mode {

    @Mixin
    private ServerOptions options;

    @Option(
            names = "--loops",
            description = "Threads that serve connections, one per CPU by default. With more than one, another"
                    + " thread accepts.")
    private int loops = Runtime.getRuntime().availableProcessors();

    @Override
    public void serve() throws Exception {
        EventLoopServer.serve(options, loops);
    }
}
