package artifact.spring.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.spring.App;
import artifact.stacks.common.Options;
import artifact.stacks.common.Options.Kind;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which thread computes a long request, and how many do at a time. */
class LongControllerTest {

    private final BlockingQueue<Thread> computing = new LinkedBlockingQueue<>();
    private final Semaphore ends = new Semaphore(0);

    /** Computes until the test says so. */
    private final class Watched extends Work {

        private Watched(Options options) {
            super(options);
        }

        @Override
        void burn(long cpuUs) {
            computing.add(Thread.currentThread());
            ends.acquireUninterruptibly();
        }
    }

    private LongController controller(String... arguments) {
        Options options = Options.parse(
                arguments,
                Map.of("control-percent", "0"),
                Map.of(
                        "long-threads", Kind.COUNT,
                        "long-yields-us", Kind.COUNT,
                        "long-rests-ms", Kind.COUNT));
        return new LongController(new Watched(options), options);
    }

    @Test
    void computesOnTheThreadOfTheRequest() throws Exception {
        LongController controller = controller();
        Thread request = Thread.startVirtualThread(() -> controller.burn(1));
        assertSame(request, computing.take());
        Thread.startVirtualThread(() -> controller.burn(1));
        assertTrue(computing.take().isVirtual(), "a second one meanwhile");
        ends.release(2);
        request.join();
    }

    @Test
    void computesOnPlatformThreadsOfItsOwn() throws Exception {
        LongController controller = controller("--long-threads=1");
        Thread request = Thread.startVirtualThread(() -> assertEquals("OK", controller.burn(1)));
        Thread computes = computing.take();
        assertEquals("long-0", computes.getName());
        assertTrue(!computes.isVirtual() && computes.isDaemon());
        assertTrue(request.isAlive(), "it waits for its answer");
        ends.release();
        request.join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--long-yields-us=1000", "--long-rests-ms=1"})
    void pausesBetweenPartsOfALongRequest(String option) throws Exception {
        LongController controller = controller(option);
        Thread request = Thread.startVirtualThread(() -> controller.burn(2500));
        for (int parts = 0; parts < 3; parts++) {
            assertSame(request, computing.take());
            ends.release();
        }
        request.join();
        assertTrue(computing.isEmpty(), "three parts and no more");
    }

    /** One carrier would show more, but their number is the JVM's: here it matters that all of the time is computed. */
    @ParameterizedTest
    @ValueSource(strings = {"--long-yields-us=1000", "--long-rests-ms=1"})
    void computesAsLongInParts(String option) throws Exception {
        try (App app = App.start("--virtual=true", option)) {
            long startNs = System.nanoTime();
            assertEquals("OK", app.get("/api/long-test?cpu_us=30000").body());
            assertTrue(System.nanoTime() - startNs >= 30_000_000);
        }
    }

    @Test
    void refusesAParameterOnAnyThread() throws Exception {
        try (App app = App.start("--virtual=true", "--long-threads=1")) {
            assertEquals("OK", app.get("/api/long-test?cpu_us=10").body());
            String refusal = app.get("/api/long-test?cpu_us=10000001").body();
            assertTrue(refusal.contains("cpu_us") && refusal.contains("10000001"), refusal);
        }
    }
}
