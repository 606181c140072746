package artifact.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The client against H2 in memory: what it does is tested here, never how fast. */
class ClientTest {

    private static final int ROWS = 200;
    private static final int WORKERS = 4;
    private static final Account ACCOUNT =
            new Account("jdbc:h2:mem:client;MODE=MariaDB;DB_CLOSE_DELAY=-1", "artifact", "secret");

    private Connection keeper;

    @BeforeEach
    void makeTable() throws SQLException {
        keeper = DriverManager.getConnection(ACCOUNT.url(), ACCOUNT.user(), ACCOUNT.password());
        try (Statement statement = keeper.createStatement()) {
            statement.execute("CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c VARCHAR(120))");
            statement.execute("INSERT INTO sbtest1 SELECT x, x, 'row ' || x FROM SYSTEM_RANGE(1, " + ROWS + ")");
        }
    }

    @AfterEach
    void dropAll() throws SQLException {
        try (Statement statement = keeper.createStatement()) {
            statement.execute("SHUTDOWN");
        }
        keeper.close();
    }

    private static Outcome measure(Work work, boolean virtual, int poolSize) throws Exception {
        return measure(ACCOUNT, work, virtual, poolSize);
    }

    /** In a window in which every worker gets to something, however slow the machine is. */
    private static Outcome measure(Account account, Work work, boolean virtual, int poolSize) throws Exception {
        for (int windowMs = 200; ; windowMs *= 2) {
            Load load = new Load(work, WORKERS, virtual, 1, ROWS, 10, windowMs, 1);
            Outcome outcome = Client.measure(account, new Combination(0, poolSize), load);
            if (outcome.workersWithout() == 0 || outcome.failed() >= WORKERS || windowMs > 30_000) {
                return outcome;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Work.class)
    void everyKindOfWorkIsDoneAndCounted(Work work) throws Exception {
        Outcome outcome = measure(work, false, 2);
        assertTrue(outcome.transactions() > 0);
        assertEquals(0, outcome.failed(), outcome.errors()::toString);
        assertEquals(outcome.transactions(), outcome.waitNs().getTotalCount());
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "false, 2", "true, 0", "true, 2"})
    void threadsAndPoolsOfAllKindsServeEveryWorker(boolean virtual, int poolSize) throws Exception {
        Outcome outcome = measure(Work.POINT, virtual, poolSize);
        assertEquals(0, outcome.failed(), outcome.errors()::toString);
        assertEquals(0, outcome.workersWithout());
    }

    @Test
    void whoIsRefusedIsCountedByKind() throws Exception {
        Account nowhere = new Account("jdbc:h2:mem:nowhere;IFEXISTS=TRUE", "artifact", "secret");
        Outcome outcome = measure(nowhere, Work.POINT, false, 0);
        assertEquals(0, outcome.transactions());
        assertEquals(WORKERS, outcome.workersWithout());
        assertEquals(List.of("sql-90146"), List.copyOf(outcome.errors().keySet()));
    }

    @Test
    void aRowThatIsMissingIsAnError() throws Exception {
        try (Statement statement = keeper.createStatement()) {
            statement.execute("DELETE FROM sbtest1");
        }
        Outcome outcome = measure(Work.POINT, false, 2);
        assertEquals(0, outcome.transactions());
        assertTrue(outcome.errors().get("sql-02000") > 0);
    }

    @Test
    void recordsHaveARowForEachCombinationAndTwoHistograms(@TempDir Path folder) throws Exception {
        try (Records records = new Records(folder)) {
            records.add(measure(Work.POINT, false, 1));
            records.add(measure(Work.POINT, true, 2));
        }
        List<String> lines = Files.readAllLines(folder.resolve("combinations.csv"));
        assertEquals(3, lines.size());
        for (String line : lines) {
            assertEquals(lines.getFirst().split(",", -1).length, line.split(",", -1).length, line);
        }
        long counted = lines.stream()
                .skip(1)
                .mapToLong(line -> Long.parseLong(line.split(",")[4]))
                .sum();
        assertTrue(Files.readString(folder.resolve("latency.hgrm")).contains("Total count    = "));
        assertTrue(Files.readString(folder.resolve("wait.hgrm")).matches("(?s).*Total count +=? +" + counted + "\\b.*"));
        assertFalse(ACCOUNT.toString().contains("secret"));
    }
}
