package artifact.database;

/** The time in which transactions count, on the clock of {@link System#nanoTime()}. */
record Window(long startNs, long endNs) {

    static Window of(long warmUpMs, long lengthMs) {
        long startNs = System.nanoTime() + warmUpMs * 1_000_000;
        return new Window(startNs, startNs + lengthMs * 1_000_000);
    }

    boolean holds(long timeNs) {
        return startNs - timeNs <= 0 && timeNs - endNs < 0;
    }

    boolean isOver() {
        return System.nanoTime() - endNs >= 0;
    }

    double lengthS() {
        return (endNs - startNs) / 1e9;
    }

    /** Epoch seconds of a point in time of the window's clock. */
    static double epochS(long timeNs) {
        return System.currentTimeMillis() / 1e3 - (System.nanoTime() - timeNs) / 1e9;
    }
}
