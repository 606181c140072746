package artifact.sockets.server;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all corrected modes share. */
public final class ServerOptions {

    /** How long a stop waits for requests in flight before the process ends all the same. */
    static final int STOP_TIMEOUT_MS = 1500;

    @Mixin
    ListenOptions listen;

    @Option(
            names = "--backlog",
            defaultValue = "4096",
            description = "Connections that may wait to be accepted; the kernel lowers it to net.core.somaxconn.")
    int backlog;

    @Option(
            names = "--read-timeout-ms",
            defaultValue = "10000",
            description = "How long a client may take to send a whole request, or to begin its next one,"
                    + " before its connection is closed.")
    int readTimeoutMs;
}
