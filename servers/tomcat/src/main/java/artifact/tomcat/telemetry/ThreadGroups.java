package artifact.tomcat.telemetry;

/** Which pool a thread belongs to, by its name. */
final class ThreadGroups {

    private static final int COMM_LENGTH = 15;

    private ThreadGroups() {}

    /** By its full name, for example {@code http-nio-127.0.0.1-8080-exec-1}. */
    static String ofJavaThread(String name) {
        return ofKernelThread(comm(name));
    }

    /** By the name that the kernel has of it, of 15 characters, for example {@code http-ni..exec-1}. */
    static String ofKernelThread(String comm) {
        if (comm.startsWith("http-ni")) {
            return comm.endsWith("Poller") ? "http-nio-poller"
                    : comm.endsWith("ceptor") ? "http-nio-acceptor"
                    : "http-nio-exec";
        }
        return comm.startsWith("worker-") ? "worker"
                : comm.startsWith("reactor") ? "reactor-http"
                : comm.startsWith("ForkJoi") ? "carrier"
                : "jvm";
    }

    /** As HotSpot shortens a name for the kernel: the first 7 characters and the last 6. */
    private static String comm(String name) {
        int length = name.length();
        return length <= COMM_LENGTH ? name : name.substring(0, 7) + ".." + name.substring(length - 6);
    }
}
