package artifact.database;

/**
 * One setting of the two pools.
 *
 * @param serverPoolSize thread_pool_size of the server; 0 leaves it as it is
 * @param poolSize connections in the client's pool; 0 makes a new one for every transaction
 */
record Combination(int serverPoolSize, int poolSize) {}
