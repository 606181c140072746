package artifact.tomcat.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import artifact.tomcat.App;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinningCounterTest {

    /** Sleeping in a class's initializer pins on every JDK: native code called it. */
    private static final class SleepsWhileItIsInitialised {
        static {
            PinningCounterTest.sleep();
        }

        static void initialise() {}
    }

    private static final class SleepsUnwatched {
        static {
            PinningCounterTest.sleep();
        }

        static void initialise() {}
    }

    private static final class SleepsWatched {
        static {
            PinningCounterTest.sleep();
        }

        static void initialise() {}
    }

    private static void sleep() {
        try {
            Thread.sleep(30);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @Test
    void countsAThreadThatBlocksWithoutLeavingItsCarrier() throws Exception {
        try (PinningCounter counter = new PinningCounter()) {
            counter.start();
            Thread.ofVirtual().start(SleepsWhileItIsInitialised::initialise).join();
            counter.stop();
            Map<String, Number> counted = counter.counters();
            assertEquals(1L, counted.get("pinned"));
            assertTrue(counted.get("pinned_ms").doubleValue() >= 25);
        }
    }

    @Test
    void countsAgainAfterAStop() throws Exception {
        try (PinningCounter counter = new PinningCounter()) {
            counter.start();
            counter.stop();
            Thread.ofVirtual().start(SleepsUnwatched::initialise).join();
            counter.start();
            Thread.ofVirtual().start(SleepsWatched::initialise).join();
            counter.stop();
            assertEquals(1L, counter.counters().get("pinned"));
        }
    }

    /** JEP 491, from JDK 24 on. */
    @Test
    void aSynchronizedBlockPinsNoMore() throws Exception {
        try (App app = App.start(
                "--lock.kind=synchronized", "--pinning.count=true", "--spring.threads.virtual.enabled=true")) {
            app.get("/api/lock-test");
            app.get("/watch?on=true");
            app.get("/api/lock-test");
            app.get("/watch?on=false");
            assertEquals("{\"pinned\":0,\"pinned_ms\":0.0}", app.get("/counters").body());
        }
    }

    @Test
    void countsNothingUnlessToldTo() throws Exception {
        try (App app = App.start()) {
            assertEquals("{}", app.get("/counters").body());
        }
    }
}
