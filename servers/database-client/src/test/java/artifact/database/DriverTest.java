package artifact.database;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
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
        assertEquals(2, Files.readAllLines(folder.resolve("first/combinations.csv")).size());
        assertEquals(3, Files.readAllLines(folder.resolve("second/combinations.csv")).size());
    }

    @Test
    void aLoadThatFailsIsReportedOnOneLineAndTheNextOneRuns() throws IOException {
        List<String> replies = replies(
                load("first", "--statement=nonsense"),
                load("second", "--statement=point").replace("second", "nowhere"),
                load("third", "--statement=point"));
        assertLinesMatch(List.of("ready", "failed\t.*nonsense.*", "failed\t.*nowhere.*", "done"), replies);
    }

    private String load(String name, String... options) throws IOException {
        return Files.createDirectories(folder.resolve(name)) + "\t--url=jdbc:h2:mem:driver;DB_CLOSE_DELAY=-1"
                + "\t--user=artifact\t--workers=2\t--rows=200\t--seed=1"
                + "\t--warm-up-ms=1\t--window-ms=20\t" + String.join("\t", options);
    }

    private static List<String> replies(String... loads) throws IOException {
        ByteArrayOutputStream replies = new ByteArrayOutputStream();
        Driver.run(new BufferedReader(new StringReader(String.join("\n", loads))), new PrintStream(replies));
        return replies.toString().lines().toList();
    }
}
