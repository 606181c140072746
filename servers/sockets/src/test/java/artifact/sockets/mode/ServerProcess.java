package artifact.sockets.mode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A mode running as the process that is measured; it is gone when the test is. */
final class ServerProcess implements AutoCloseable {

    /** Long enough that only a server that never does it fails. */
    static final int PATIENCE_S = 30;

    private final Process process;
    private final Path errors;
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
    static ServerProcess startLimited(String limit, List<String> jvmOptions, Class<?> mode) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit " + limit + " && exec \"$@\"", "sh"));
        command.addAll(java(jvmOptions, mode));
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
        String ready = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                .readLine();
        if (ready == null || !ready.matches("listening on 127\\.0\\.0\\.1:[0-9]+")) {
            process.destroyForcibly();
            throw new IOException("not ready: " + ready + "\n" + Files.readString(errors));
        }
        return new ServerProcess(process, errors, Integer.parseInt(ready.substring(ready.indexOf(':') + 1)));
    }

    Client connect() throws IOException {
        return new Client(port);
    }

    void terminate() {
        process.destroy();
    }

    int exitStatus() throws InterruptedException {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new AssertionError("the server did not end");
        }
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long cpuMs() {
        return process.info().totalCpuDuration().orElseThrow().toMillis();
    }

    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The kernel's view, which telemetry counts. */
    long handlerThreads() {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return tasks.filter(task -> comm(task).startsWith("handler")).count();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Targets of its descriptors, for example {@code anon_inode:[eventpoll]}. */
    List<String> descriptors() throws IOException {
        List<String> targets = new ArrayList<>();
        try (Stream<Path> links = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            for (Path link : links.toList()) {
                targets.add(Files.readSymbolicLink(link).toString());
            }
        }
        return targets;
    }

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain until " + what);
            }
            Thread.sleep(10);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(errors);
    }

    private static String comm(Path task) {
        try {
            return Files.readString(task.resolve("comm"));
        } catch (IOException threadEnded) {
            return "";
        }
    }

    static Path origin(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
}
