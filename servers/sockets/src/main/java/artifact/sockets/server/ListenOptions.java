package artifact.sockets.server;

import module java.base;
import picocli.CommandLine.*;
import picocli.CommandLine.Model.CommandSpec;

/** The options that every mode has, and listening itself: on one address and on nothing else, always. */
public final class ListenOptions {

    /** The backlog of {@code new ServerSocket(port)}. */
    public static final int DEFAULT_BACKLOG = 50;

    @Option(
            names = "--address",
            defaultValue = "127.0.0.1",
            converter = Address.class,
            description = "IPv4 address of this machine to listen on. These servers exist to be overloaded: name one"
                    + " that only the load generator can reach.")
    private String address;

    @Option(
            names = "--port",
            defaultValue = "0",
            converter = WholeNumber.Port.class,
            description = "Port to listen on; 0 lets the kernel choose.")
    private int port;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    /** An address, not a name: a name would need a resolver. */
    private static final class Address implements ITypeConverter<String> {

        @Override
        public String convert(String value) {
            try {
                return InetAddress.ofLiteral(value).getHostAddress();
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException("'" + value + "' is not an IP address");
            }
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** @param backlog how many connections the kernel completes and keeps until they are accepted */
    public ServerSocket listen(int backlog) throws IOException {
        try {
            return new ServerSocket(port, backlog, InetAddress.ofLiteral(address));
        } catch (BindException refused) {
            throw cannotListen(refused);
        }
    }

    /** Does the same as {@link #listen}, for an event loop. */
    ServerSocketChannel listenNonBlocking(int backlog) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port), backlog).configureBlocking(false);
            return listener;
        } catch (BindException refused) {
            listener.close();
            throw cannotListen(refused);
        }
    }

    /** The line on stdout by which the parent process learns that it is ready, and where. */
    public static void announce(ServerSocket listener) {
        System.out.println("listening on " + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort());
    }

    private ParameterException cannotListen(BindException refused) {
        String reason = "Invalid value for option '--port': " + address + ":" + port + " cannot be had ("
                + refused.getMessage() + "); name a free port, or 0";
        return new ParameterException(spec.commandLine(), reason);
    }
}
