package artifact.spring.telemetry;

/** A part that watches the server from inside. That costs CPU time, so it is off until it is started. */
public interface Watcher {

    /** Does nothing when it is on already. */
    void start();

    /** Returns when everything that was seen is recorded. Does nothing when it is off already. */
    void stop();
}
