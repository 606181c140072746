package artifact.stacks.common;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Who has a permit next: one that waits for it, or one that has just given it back. */
class PermitsTest {

    private static final int TRIES = 10_000;

    @Test
    void oneThatComesNeverOvertakesOneThatWaits() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            assertFalse(overtakes(new Permits(1)));
        }
    }

    @Test
    void unfairPermitsLetOneThatComesOvertake() throws InterruptedException {
        boolean overtook = false;
        for (int i = 0; i < TRIES && !overtook; i++) {
            overtook = overtakes(new Permits(1, false));
        }
        assertTrue(overtook, "in one of so many tries");
    }

    /** Whether this thread, which has the one permit, has it again before a thread that waits for it. */
    private static boolean overtakes(Permits permits) throws InterruptedException {
        boolean[] served = new boolean[1];
        permits.acquire();
        Thread waits = Thread.ofPlatform().start(() -> {
            permits.acquire();
            served[0] = true;
            permits.release();
        });
        while (waits.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        permits.release();
        permits.acquire();
        boolean first = !served[0];
        permits.release();
        waits.join();
        return first;
    }
}
