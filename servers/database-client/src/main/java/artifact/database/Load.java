package artifact.database;

/**
 * The load on every combination.
 *
 * @param workers concurrent clients, each with a thread to itself
 * @param thinkMs pause of a client between two transactions
 * @param rows rows of the table, with ids from 1
 * @param warmUpMs before the window that counts
 * @param seed of the ids and of the order of the combinations
 */
record Load(Work work, int workers, boolean virtual, int thinkMs, int rows, int warmUpMs, int windowMs, long seed) {

    Thread.Builder threads() {
        return virtual ? Thread.ofVirtual() : Thread.ofPlatform();
    }
}
