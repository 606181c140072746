package artifact.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads in one JVM. The table is not there: an error of every transaction, and none of the load. */
class DriverTest {

    @TempDir
    private Path folder;

    @Test
    void everyLoadLeavesItsRecordsInItsFolder() throws IOException {
        String first = load("first", "--statement=point");
        String second = load("second", "--statement=read", "--virtual", "--pool-sizes=1,2");
        assertEquals(List.of("ready", "done", "done"), replies(first, second));
        assertEquals(2, lines("first/combinations.csv").size());
        assertEquals(3, lines("second/combinations.csv").size());
        for (String load : List.of("first", "second")) {
            assertTrue(lines(load + "/latency.hgrm").size() > 1);
            assertTrue(lines(load + "/wait.hgrm").size() > 1);
        }
    }

    @Test
    void aLoadThatFailsIsReportedOnOneLineAndTheNextOneRuns() throws IOException {
        List<String> replies = replies(
                load("first", "--statement=nonsense"),
                load("second"),
                load("third", "--statement=point").replace("third", "nowhere"),
                load("fourth", "--statement=point"));
        assertTrue(replies.get(1).matches("failed\t.*nonsense.*"), replies.get(1));
        assertTrue(replies.get(2).matches("failed\t.*--statement.*"), replies.get(2));
        assertTrue(replies.get(3).matches("failed\t.*nowhere.*"), replies.get(3));
        assertEquals(List.of("done"), replies.subList(4, replies.size()));
    }

    private String load(String name, String... options) throws IOException {
        return Files.createDirectories(folder.resolve(name)) + "\t--url=jdbc:h2:mem:driver;DB_CLOSE_DELAY=-1"
                + "\t--user=artifact\t--workers=2\t--rows=200\t--seed=1"
                + "\t--first-warm-up-ms=0\t--warm-up-ms=1\t--window-ms=20\t" + String.join("\t", options);
    }

    private static List<String> replies(String... loads) throws IOException {
        ByteArrayOutputStream replies = new ByteArrayOutputStream();
        Driver.run(new BufferedReader(new StringReader(String.join("\n", loads))), new PrintStream(replies));
        return replies.toString().lines().toList();
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file));
    }
}
