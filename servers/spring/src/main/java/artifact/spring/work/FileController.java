package artifact.spring.work;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Keeps a small upload and looks at it: writes a file, has the kernel bring it to the disk, reads it
 * and deletes it. File access in the JDK blocks: a virtual thread keeps its carrier meanwhile, and the
 * scheduler starts another to make up for it (JEP 444).
 */
@RestController
class FileController {

    private static final byte[] CONTENT = content();
    private static final Path FOLDER = Path.of(System.getProperty("java.io.tmpdir"));

    private final AtomicLong files = new AtomicLong();

    @GetMapping("/api/file-test")
    String writeAndRead() throws IOException {
        Path file = FOLDER.resolve("file-test-" + ProcessHandle.current().pid() + "-" + files.incrementAndGet());
        try {
            write(file);
            if (!Arrays.equals(Files.readAllBytes(file), CONTENT)) {
                throw new IOException(file + " is not what was written");
            }
        } finally {
            Files.deleteIfExists(file);
        }
        return "OK";
    }

    private static void write(Path file) throws IOException {
        try (FileOutputStream output = new FileOutputStream(file.toFile())) {
            output.write(CONTENT);
            output.getFD().sync();
        }
    }

    private static byte[] content() {
        byte[] bytes = new byte[16 * 1024];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) (index * 31);
        }
        return bytes;
    }
}
