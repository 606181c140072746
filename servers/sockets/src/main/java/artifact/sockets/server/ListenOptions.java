package artifact.sockets.server;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option that every mode has, and listening itself: on 127.0.0.1 and on nothing else, always. */
public final class ListenOptions {

    /** These servers exist to be overloaded, so no other machine can ever reach them. */
    private static final InetAddress LOOPBACK = loopback();

    @Option(
            names = "--port",
            paramLabel = "<port>",
            defaultValue = "0",
            converter = WholeNumber.Port.class,
            description = "Port on 127.0.0.1 to listen on; 0 lets the kernel choose (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** @param backlog how many connections the kernel completes and keeps until they are accepted */
    public ServerSocket listen(int backlog) throws IOException {
        try {
            return new ServerSocket(port, backlog, LOOPBACK);
        } catch (BindException refused) {
            throw cannotListen(refused);
        }
    }

    /** As {@link #listen}, for an event loop. */
    ServerSocketChannel listenNonBlocking(int backlog) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.bind(new InetSocketAddress(LOOPBACK, port), backlog).configureBlocking(false);
            return listener;
        } catch (BindException refused) {
            listener.close();
            throw cannotListen(refused);
        }
    }

    /** The one line on stdout by which whoever started this process learns that, and where, it is ready. */
    public static void announce(ServerSocket listener) {
        System.out.println("listening on 127.0.0.1:" + listener.getLocalPort());
    }

    private ParameterException cannotListen(BindException refused) {
        String reason = "Invalid value for option '--port': 127.0.0.1:" + port + " cannot be had ("
                + refused.getMessage() + "); name a free port, or 0";
        return new ParameterException(spec.commandLine(), reason);
    }

    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
