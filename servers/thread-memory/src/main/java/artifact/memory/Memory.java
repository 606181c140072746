package artifact.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Memory of this process, in bytes.
 *
 * @param residentBytes all of it that is in RAM, as the kernel counts it
 * @param reservedBytes address space that native memory tracking has under Thread
 * @param committedBytes the part of it that is backed
 * @param heapBytes live objects
 */
record Memory(long residentBytes, long reservedBytes, long committedBytes, long heapBytes) {

    private static final Pattern RESIDENT = Pattern.compile("Rss:\\s+(\\d+) kB");
    private static final Pattern THREAD = Pattern.compile("Thread \\(reserved=(\\d+), committed=(\\d+)\\)");

    /** After a full collection, so that what is left of the heap is live. */
    static Memory now() throws IOException, JMException {
        System.gc();
        long heapBytes = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        MatchResult resident = find(RESIDENT, Files.readString(Path.of("/proc/self/smaps_rollup")));
        MatchResult thread = find(THREAD, nativeMemorySummary());
        return new Memory(
                1024 * Long.parseLong(resident.group(1)),
                Long.parseLong(thread.group(1)),
                Long.parseLong(thread.group(2)),
                heapBytes);
    }

    Memory minus(Memory before) {
        return new Memory(
                residentBytes - before.residentBytes,
                reservedBytes - before.reservedBytes,
                committedBytes - before.committedBytes,
                heapBytes - before.heapBytes);
    }

    /** The output of {@code jcmd VM.native_memory summary}, from within the JVM. */
    private static String nativeMemorySummary() throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmNativeMemory",
                        new Object[] {new String[] {"summary", "scale=b"}},
                        new String[] {String[].class.getName()});
    }

    private static MatchResult find(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().orElseThrow(() ->
                new IllegalStateException("not found: " + pattern + " in: " + text));
    }
}
