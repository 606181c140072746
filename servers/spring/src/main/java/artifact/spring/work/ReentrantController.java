package artifact.spring.work;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.*;

/**
 * Sleeps with a ReentrantLock held that no other request wants: a virtual thread leaves its carrier
 * meanwhile, on every JDK that has them.
 */
@RestController
@ConditionalOnProperty(name = "lock", havingValue = "reentrant")
class ReentrantController {

    private final Work work;

    /** The synchronized one has this, too, so that the two differ in the lock alone. */
    private volatile Object lastLock;

    ReentrantController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/lock-test")
    String sleepLocked(@RequestParam(name = "sleep_ms", defaultValue = "20") long sleepMs) throws InterruptedException {
        Lock lock = new ReentrantLock();
        lastLock = lock;
        lock.lock();
        try {
            work.sleep(sleepMs);
        } finally {
            lock.unlock();
        }
        return "OK";
    }
}
