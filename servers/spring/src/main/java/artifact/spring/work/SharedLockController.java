package artifact.spring.work;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.*;

/**
 * Every other request sleeps with one lock held, the others wait for that lock in a synchronized block.
 * Before JDK 24 (JEP 491) each of those keeps its carrier. Once they keep all of them, the virtual thread
 * that holds the lock has none to go on with: a deadlock that no thread dump calls one.
 */
@RestController
@ConditionalOnProperty(name = "lock", havingValue = "shared")
class SharedLockController {

    private final Work work;
    private final Lock lock = new ReentrantLock();
    private final AtomicLong requests = new AtomicLong();

    /** See {@link SynchronizedController}. */
    private volatile Object lastMonitor;

    SharedLockController(Work work) {
        this.work = work;
    }

    @GetMapping("/api/lock-test")
    String sleepOrWait(@RequestParam(name = "sleep_ms", defaultValue = "20") long sleepMs) throws InterruptedException {
        Work.requireSleep(sleepMs);
        if (requests.getAndIncrement() % 2 == 0) {
            sleepLocked(sleepMs);
        } else {
            Object monitor = new Object();
            lastMonitor = monitor;
            synchronized (monitor) {
                sleepLocked(0);
            }
        }
        return "OK";
    }

    private void sleepLocked(long sleepMs) throws InterruptedException {
        lock.lock();
        try {
            work.sleep(sleepMs);
        } finally {
            lock.unlock();
        }
    }
}
