package artifact.spring.work;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.stacks.common.Options;
import artifact.stacks.common.Options.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.server.ResponseStatusException;

/** Which thread computes a long request, and how many do at a time. */
class LongControllerTest {

    private final BlockingQueue<Thread> computing = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> partsUs = new LinkedBlockingQueue<>();
    private final Semaphore ends = new Semaphore(0);

    /** It computes until the test says so. */
    private LongController controller(String... arguments) {
        var kinds = Map.of("long-threads", Kind.COUNT, "long-yields-us", Kind.COUNT, "long-rests-ms", Kind.COUNT);
        Options options = Options.parse(arguments, Map.of("control-percent", "0"), kinds);
        Work watched = new Work(options) {
            @Override
            void burn(long cpuUs) {
                computing.add(Thread.currentThread());
                partsUs.add(cpuUs);
                ends.acquireUninterruptibly();
            }
        };
        return new LongController(watched, options);
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
        ends.release(Integer.MAX_VALUE);
        Thread request = Thread.startVirtualThread(() -> controller.burn(2500));
        request.join();
        assertEquals(List.of(request, request, request), List.copyOf(computing));
        assertEquals(List.of(1000L, 1000L, 500L), List.copyOf(partsUs));
    }

    @Test
    void refusesAParameterOnAnyThread() {
        LongController controller = controller("--long-threads=1");
        assertThrows(ResponseStatusException.class, () -> controller.burn(10_000_001));
    }
}
