package artifact.spring.telemetry;

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * This process's threads as the kernel has them, from /proc/self/task/N/stat (proc(5)).
 *
 * <p>A file stays open as long as its thread lives: opening one costs more than reading it.
 */
final class KernelThreads implements AutoCloseable {

    private static final File TASKS = new File("/proc/self/task");
    /** Holds the number, the name and the state, which come first. */
    private static final int HEAD_BYTES = 64;

    private Map<String, RandomAccessFile> files = new HashMap<>();

    /**
     * Threads by "group,state", the state being the kernel's letter: R runs or wants to, S sleeps, D
     * waits for a disk.
     */
    Map<String, Integer> count() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        Map<String, RandomAccessFile> ofTheLiving = new HashMap<>();
        for (String task : TASKS.list()) {
            try {
                if (!files.containsKey(task)) {
                    files.put(task, new RandomAccessFile(new File(TASKS, task + "/stat"), "r"));
                }
                counts.merge(groupAndState(files.get(task)), 1, Integer::sum);
                ofTheLiving.put(task, files.get(task));
            } catch (IOException threadEnded) {
                // Not counted, and its file is closed below.
            }
        }
        files.keySet().removeAll(ofTheLiving.keySet());
        // The rest of the map belongs to threads that have ended.
        close();
        files = ofTheLiving;
        return counts;
    }

    @Override
    public void close() throws IOException {
        for (RandomAccessFile file : files.values()) {
            file.close();
        }
    }

    /** Reads name and state from {@code 4711 (http-nio-exec-1) S …}. */
    private static String groupAndState(RandomAccessFile stat) throws IOException {
        byte[] head = new byte[HEAD_BYTES];
        stat.seek(0);
        if (stat.read(head) < 0) {
            throw new EOFException("the thread has ended");
        }
        String text = new String(head, StandardCharsets.ISO_8859_1);
        int nameEnd = text.lastIndexOf(") ");
        return ThreadGroups.of(text.substring(text.indexOf('(') + 1, nameEnd))
                + ","
                + text.charAt(nameEnd + 2);
    }
}
