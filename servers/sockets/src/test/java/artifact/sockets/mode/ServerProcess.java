package artifact.sockets.mode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import module java.base;
import picocli.CommandLine;

/** A mode running as the process that is measured; it is gone when the test is. */
final class ServerProcess implements AutoCloseable {

    /** Long enough that only a server that never does it fails. */
    static final int PATIENCE_S = 30;

    private final Process process;
    private final Path errors;
    private final List<Client> clients = new ArrayList<>();
    final int port;

    private ServerProcess(Process process, Path errors, int port) {
        this.process = process;
        this.errors = errors;
        this.port = port;
    }

    static ServerProcess start(Class<?> mode, String... options) throws IOException {
        return launch(java(List.of(), mode, options));
    }

    /** Under limits as {@code ulimit} sets them, for example {@code -n 64}. */
    static ServerProcess startLimited(String limit, Class<?> mode, String... jvmOptions) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit " + limit + " && exec \"$@\"", "sh"));
        command.addAll(java(List.of(jvmOptions), mode));
        return launch(command);
    }

    static List<String> java(List<String> jvmOptions, Class<?> mode, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", origin(mode) + ":" + origin(CommandLine.class), mode.getName()));
        command.addAll(List.of(options));
        return command;
    }

    private static ServerProcess launch(List<String> command) throws IOException {
        Path errors = Files.createTempFile("server", ".log");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String ready = process.inputReader().readLine();
        if (ready == null || !ready.matches("listening on 127\\.0\\.0\\.1:[0-9]+")) {
            process.destroyForcibly();
            throw new IOException("not ready: " + ready + "\n" + Files.readString(errors));
        }
        return new ServerProcess(process, errors, Integer.parseInt(ready.substring(ready.indexOf(':') + 1)));
    }

    Client connect() throws IOException {
        clients.add(new Client(port));
        return clients.getLast();
    }

    List<Client> connect(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            connect();
        }
        return List.copyOf(clients.subList(clients.size() - count, clients.size()));
    }

    void disconnect() throws IOException {
        for (Client client : clients) {
            client.close();
        }
        clients.clear();
    }

    void assertServes() throws IOException {
        assertEquals(200, connect().ask(Client.PAGE).status());
    }

    void terminate() {
        process.destroy();
    }

    int exitStatus() throws InterruptedException {
        assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), "the server did not end");
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String errors() throws IOException {
        return Files.readString(errors);
    }

    /** The kernel's view, which telemetry counts. */
    long handlerThreads() throws IOException {
        return said("cat task/*/comm").lines().filter(name -> name.startsWith("handler")).count();
    }

    /** Its descriptors, with targets such as {@code anon_inode:[eventpoll]}. */
    String descriptors() throws IOException {
        return said("ls -l fd");
    }

    /** Output of a command in the process's folder of /proc. */
    private String said(String command) throws IOException {
        assertTrue(process.isAlive(), "the server has ended");
        Process shell = new ProcessBuilder("sh", "-c", "cd /proc/" + process.pid() + " && " + command).start();
        return new String(shell.getInputStream().readAllBytes());
    }

    static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!condition.call()) {
            assertTrue(System.nanoTime() - deadline <= 0, () -> "waited in vain until " + what);
            Thread.sleep(10);
        }
    }

    @Override
    public void close() throws IOException {
        disconnect();
        process.destroyForcibly();
        Files.deleteIfExists(errors);
    }

    static Path origin(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
}
