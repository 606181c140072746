package artifact.sockets.server;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all corrected modes share. */
public final class ServerOptions {

    @Mixin
    ListenOptions listen;

    @Option(
            names = "--backlog",
            paramLabel = "<connections>",
            defaultValue = "4096",
            converter = WholeNumber.Count.class,
            description = "Connections that may wait to be accepted; the kernel lowers it to"
                    + " net.core.somaxconn (default: ${DEFAULT-VALUE}).")
    int backlog;

    @Option(
            names = "--read-timeout-ms",
            paramLabel = "<ms>",
            defaultValue = "10000",
            converter = WholeNumber.Milliseconds.class,
            description = "How long a client may take to send a whole request, or to begin its next one,"
                    + " before its connection is closed (default: ${DEFAULT-VALUE}).")
    int readTimeoutMs;

    @Option(
            names = "--stop-timeout-ms",
            paramLabel = "<ms>",
            defaultValue = "1500",
            converter = WholeNumber.Milliseconds.class,
            description = "How long SIGTERM waits for requests in flight before the process ends"
                    + " all the same (default: ${DEFAULT-VALUE}).")
    int stopTimeoutMs;
}
