package artifact.sockets.http;

/**
 * One whole HTTP request; its body, if it had one, has been read and dropped.
 *
 * @param method as sent, case-sensitive, for example {@code GET}
 * @param path the target up to the first {@code ?}, not percent-decoded
 * @param query the target after the first {@code ?}, empty when there is none
 * @param keepAlive whether the client lets the connection stay open after the answer
 */
public record Request(String method, String path, String query, boolean keepAlive) {}
