package artifact.spring.work;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.*;

/**
 * Sleeps in a synchronized block: before JDK 24 (JEP 491) a virtual thread keeps its carrier
 * meanwhile. No other request wants the lock, so that only the kind of lock differs.
 */
@RestController
@ConditionalOnProperty(name = "lock", havingValue = "synchronized")
class SynchronizedController {

    private final Work work;

    /** Seen by other threads, or the JIT would leave the lock out. */
    private volatile Object lastLock;

    SynchronizedController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/lock-test")
    String sleepLocked(@RequestParam(name = "sleep_ms", defaultValue = "20") long sleepMs) throws InterruptedException {
        Object lock = new Object();
        lastLock = lock;
        synchronized (lock) {
            work.sleep(sleepMs);
        }
        return "OK";
    }
}
