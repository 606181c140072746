package artifact.spring.log;

import java.io.*;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A log file that stalls: a named pipe (fifo(7)) whose reader rests at times, as a disk, a volume of the
 * network or a collector of logs does. A pipe holds 64 KiB; who writes more meanwhile waits.
 */
final class Fifo implements AutoCloseable {

    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));

    private static final Duration POLLS = Duration.ofMillis(1);

    private final Path path;
    private final Duration reads;
    private final Duration rests;
    private final Thread reader;
    private volatile boolean closed;

    /** Reads for so long, then rests for so long, until it is closed. */
    Fifo(Duration reads, Duration rests) {
        this.reads = reads;
        this.rests = rests;
        path = FOLDER.resolve("log-" + ProcessHandle.current().pid() + "-" + System.identityHashCode(this));
        make(path);
        path.toFile().deleteOnExit();
        reader = Thread.ofPlatform().daemon().name("log-reader").start(this::readAndRest);
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        closed = true;
        path.toFile().delete();
        reader.interrupt();
    }

    private void readAndRest() {
        byte[] buffer = new byte[1 << 16];
        try (InputStream input = new FileInputStream(path.toFile())) {
            while (!closed) {
                long ends = System.nanoTime() + reads.toNanos();
                while (System.nanoTime() < ends) {
                    // A read of an empty pipe would wait for the next line, and the rest begin with a load.
                    if (input.available() == 0) {
                        Thread.sleep(POLLS);
                    } else if (input.read(buffer) < 0) {
                        return;
                    }
                }
                Thread.sleep(rests);
            }
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        } catch (InterruptedException ended) {
            // Closed.
        }
    }

    private static void make(Path path) {
        try {
            int status = new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IOException("mkfifo " + path + ": status " + status);
            }
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
