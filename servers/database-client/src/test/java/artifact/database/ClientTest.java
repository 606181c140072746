package artifact.database;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import module java.sql;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The client against H2 in memory: what it does is tested here, never how fast. */
class ClientTest {

    private static final int ROWS = 200;
    private static final int WORKERS = 4;
    private static final Account ACCOUNT =
            new Account("jdbc:h2:mem:client;MODE=MariaDB;DB_CLOSE_DELAY=-1", "artifact", "secret");

    @BeforeEach
    void makeTable() throws SQLException {
        execute("CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c VARCHAR(120))");
        execute("INSERT INTO sbtest1 SELECT x, x, 'row ' || x FROM SYSTEM_RANGE(1, " + ROWS + ")");
    }

    @AfterEach
    void dropAll() throws SQLException {
        execute("SHUTDOWN");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection own = ACCOUNT.connect();
                Statement statement = own.createStatement()) {
            statement.execute(sql);
        }
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
    @CsvSource({"READ, false, 2", "POINT, false, 0", "POINT, true, 0", "POINT, true, 2"})
    void threadsAndPoolsOfAllKindsServeEveryWorker(Work work, boolean virtual, int poolSize) throws Exception {
        Outcome outcome = measure(ACCOUNT, work, virtual, poolSize);
        assertEquals(0, outcome.failed(), outcome.errors()::toString);
        assertEquals(0, outcome.workersWithout());
        assertTrue(0 < outcome.meanWaitNs() && outcome.meanWaitNs() < outcome.latencyNs().getMean());
    }

    @Test
    void whoIsRefusedIsCountedByKind() throws Exception {
        Account nowhere = new Account("jdbc:h2:mem:nowhere;IFEXISTS=TRUE", "artifact", "secret");
        Outcome outcome = measure(nowhere, Work.POINT, false, 0);
        assertEquals(0, outcome.transactions());
        assertEquals(WORKERS, outcome.workersWithout());
        assertEquals(Set.of("sql-90146"), outcome.errors().keySet());
    }

    @Test
    void aRowThatIsMissingIsAnError() throws Exception {
        execute("DELETE FROM sbtest1");
        Outcome outcome = measure(ACCOUNT, Work.POINT, false, 2);
        assertEquals(0, outcome.transactions());
        assertTrue(outcome.errors().get("sql-02000") > 0);
    }

    @Test
    void recordsHaveARowForEachCombinationAndAHistogramOfAll(@TempDir Path folder) throws Exception {
        long counted = 0;
        try (Records records = new Records(folder)) {
            for (int poolSize : new int[] {1, 2}) {
                Outcome outcome = measure(ACCOUNT, Work.POINT, false, poolSize);
                records.add(outcome);
                counted += outcome.transactions();
            }
        }
        List<String> lines = Files.readAllLines(folder.resolve("combinations.csv"));
        assertEquals(3, lines.size());
        for (String line : lines) {
            assertEquals(lines.getFirst().split(",", -1).length, line.split(",", -1).length, line);
        }
        String total = "(?s).*Total count +=? +" + counted + "\\b.*";
        assertTrue(Files.readString(folder.resolve("latency.hgrm")).matches(total));
    }

    @Test
    void theSeedDecidesTheOrderInWhichEveryCombinationIsOnce() {
        assertEquals(6, combinations(1).size());
        assertEquals(6, Set.copyOf(combinations(1)).size());
        assertEquals(combinations(1), combinations(1));
        assertNotEquals(combinations(1), combinations(2));
    }

    private static List<Combination> combinations(int seed) {
        String options = "--url=u --user=u --statement=point --workers=1 --rows=1 --warm-up-ms=1 --window-ms=1"
                + " --folder=. --pool-sizes=1,2,4 --server-pool-sizes=1,8 --seed=" + seed;
        return Client.of(options.split(" ")).combinations();
    }
}
