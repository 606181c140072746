package artifact.sockets.server;

import module java.base;
import picocli.CommandLine.Option;

/** The options that every mode has, and listening itself: on one address and on nothing else, always. */
public final class ListenOptions {

    /** The backlog of {@code new ServerSocket(port)}. */
    public static final int DEFAULT_BACKLOG = 50;

    @Option(
            names = "--address",
            defaultValue = "127.0.0.1",
            description = "IPv4 address of this machine to listen on. These servers exist to be overloaded: name one"
                    + " that only the load generator can reach.")
    private String address;

    @Option(
            names = "--port",
            defaultValue = "0",
            description = "Port to listen on; 0 lets the kernel choose.")
    private int port;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    /** @param backlog how many connections the kernel completes and keeps until they are accepted */
    public ServerSocket listen(int backlog) throws IOException {
        return new ServerSocket(port, backlog, InetAddress.ofLiteral(address));
    }

    /** Does the same as {@link #listen}, for an event loop. */
    ServerSocketChannel listenNonBlocking(int backlog) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port), backlog).configureBlocking(false);
        return listener;
    }

    /** The line on stdout by which the parent process learns that it is ready, and where. */
    public static void announce(ServerSocket listener) {
        System.out.println("listening on " + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort());
    }
}
