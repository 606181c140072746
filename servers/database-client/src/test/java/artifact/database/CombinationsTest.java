package artifact.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinationsTest {

    private static List<Combination> combinations(int seed) {
        Client client = new Client();
        client.commandLine()
                .parseArgs(
                        "--url=jdbc:none",
                        "--user=artifact",
                        "--statement=point",
                        "--workers=1",
                        "--rows=10",
                        "--window-ms=1",
                        "--pool-sizes=1,2,4",
                        "--server-pool-sizes=1,8",
                        "--seed=" + seed);
        return client.combinations();
    }

    @Test
    void everyCombinationIsThereOnce() {
        assertEquals(6, combinations(1).size());
        assertEquals(6, new HashSet<>(combinations(1)).size());
    }

    @Test
    void theSeedDecidesTheOrder() {
        assertEquals(combinations(1), combinations(1));
        assertNotEquals(combinations(1), combinations(2));
    }
}
