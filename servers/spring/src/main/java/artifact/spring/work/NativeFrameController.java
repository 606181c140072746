package artifact.spring.work;

import java.lang.reflect.Method;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sleeps below a native frame, which pins on every JDK: it cannot be moved off a carrier's stack. The
 * frame is that of reflection (JEP 416), which is native with -Djdk.reflect.useNativeAccessorOnly=true
 * alone.
 */
@RestController
@ConditionalOnProperty(name = "lock", havingValue = "native")
class NativeFrameController {

    private static final String NEEDED = "jdk.reflect.useNativeAccessorOnly";

    private final Work work;
    private final Method sleep;

    NativeFrameController(Work work) throws NoSuchMethodException {
        if (!Boolean.getBoolean(NEEDED)) {
            throw new IllegalStateException("lock=native needs the JVM option -D" + NEEDED + "=true");
        }
        this.work = work;
        this.sleep = Work.class.getDeclaredMethod("sleep", long.class);
    }

    @GetMapping("/api/lock-test")
    String sleepBelowNative(@RequestParam(name = "sleep_ms", defaultValue = "20") long sleepMs) throws Throwable {
        work.requireSleep(sleepMs);
        sleep.invoke(work, sleepMs);
        return "OK";
    }
}
