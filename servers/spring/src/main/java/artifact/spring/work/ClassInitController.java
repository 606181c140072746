package artifact.spring.work;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sleeps while it initializes a class, a new one for each request: the JVM called the initializer, whose
 * frame pins on every JDK.
 */
@RestController
@ConditionalOnProperty(name = "lock", havingValue = "class-init")
class ClassInitController {

    private static final ThreadLocal<Runnable> IN_INITIALIZER = new ThreadLocal<>();

    /** A hidden class of these bytes is defined for each request. */
    private static final class Initialized {
        static {
            IN_INITIALIZER.get().run();
        }
    }

    private final Work work;
    private final byte[] bytes;

    ClassInitController(Work work) throws IOException {
        this.work = work;
        try (InputStream file = ClassInitController.class.getResourceAsStream("ClassInitController$Initialized.class")) {
            bytes = file.readAllBytes();
        }
    }

    @GetMapping("/api/lock-test")
    String sleepInInitializer(@RequestParam(name = "sleep_ms", defaultValue = "20") long sleepMs)
            throws IllegalAccessException {
        work.requireSleep(sleepMs);
        IN_INITIALIZER.set(() -> sleep(sleepMs));
        try {
            MethodHandles.lookup().defineHiddenClass(bytes, true, MethodHandles.Lookup.ClassOption.NESTMATE);
        } finally {
            IN_INITIALIZER.remove();
        }
        return "OK";
    }

    private void sleep(long sleepMs) {
        try {
            work.sleep(sleepMs);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
