package artifact.sockets.server;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all corrected modes share. */
public final class ServerOptions {

    @Mixin
    ListenOptions listen;

    @Option(
            names = "--backlog",
            defaultValue = "4096",
            converter = WholeNumber.Count.class,
            description = "Connections that may wait to be accepted; the kernel lowers it to net.core.somaxconn.")
    int backlog;

    @Option(
            names = "--read-timeout-ms",
            defaultValue = "10000",
            converter = WholeNumber.Milliseconds.class,
            description = "How long a client may take to send a whole request, or to begin its next one,"
                    + " before its connection is closed.")
    int readTimeoutMs;

    @Option(
            names = "--stop-timeout-ms",
            defaultValue = "1500",
            converter = WholeNumber.Milliseconds.class,
            description = "How long SIGTERM waits for requests in flight before the process ends all the same.")
    int stopTimeoutMs;
}
