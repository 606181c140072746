package artifact.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadMemoryTest {

    private static final int THREADS = 100;
    private static final long SMALLEST_STACK_BYTES = 100_000;

    @Test
    void aPlatformThreadReservesAStackAndAVirtualOneLivesInTheHeap() throws IOException, InterruptedException {
        List<Long> platform = measure("platform");
        List<Long> virtual = measure("virtual");
        assertTrue(platform.get(1) > THREADS * SMALLEST_STACK_BYTES, "reserved: " + platform);
        assertTrue(virtual.get(1) < THREADS * SMALLEST_STACK_BYTES, "reserved: " + virtual);
        assertTrue(virtual.get(3) > 0, "heap: " + virtual);
    }

    /** @return growth in bytes: resident, reserved, committed, heap */
    private static List<Long> measure(String kind) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:NativeMemoryTracking=summary", "-cp", System.getProperty("java.class.path"),
                        ThreadMemory.class.getName(), kind, "" + THREADS)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] row = new String(process.getInputStream().readAllBytes()).strip().split(",");
        assertEquals(0, process.waitFor());
        assertEquals(kind + "," + THREADS, row[0] + "," + row[1]);
        return List.of(row).subList(2, row.length).stream().map(Long::valueOf).toList();
    }
}
