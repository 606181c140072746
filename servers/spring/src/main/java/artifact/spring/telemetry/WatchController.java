package artifact.spring.telemetry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Switches the watchers of this mode on and off; a mode without watchers answers all the same. */
@RestController
public class WatchController {

    private final ObjectProvider<Watcher> watchers;

    WatchController(ObjectProvider<Watcher> watchers) {
        this.watchers = watchers;
    }

    @GetMapping("/watch")
    String watch(@RequestParam boolean on) {
        watchers.forEach(on ? Watcher::start : Watcher::stop);
        return on ? "on" : "off";
    }
}
