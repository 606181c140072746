package artifact.sockets.server;

import module java.base;

/**
 * The pollers by which virtual threads wait for sockets. The JDK opens them at the first wait: if no
 * descriptor is left then, their class fails to initialize, and every later wait in the process fails.
 */
public final class VirtualWaits {

    private VirtualWaits() {}

    /** Has a virtual thread wait once, while descriptors can be had. */
    public static void prepare() throws IOException, InterruptedException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(1);
            Thread.ofVirtual().start(() -> waitFor(listener)).join();
        }
    }

    private static void waitFor(ServerSocket listener) {
        try {
            listener.accept().close();
        } catch (SocketTimeoutException waited) {
            // No client comes: to have waited is what was wanted.
        } catch (IOException cannotWait) {
            throw new IllegalStateException("virtual threads cannot wait here", cannotWait);
        }
    }
}
