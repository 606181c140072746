package artifact.sockets.handler;

import artifact.sockets.http.Response;
import artifact.sockets.http.Status;

/**
 * An answer, and the work to be done before the answer is sent. The modes differ in how that work
 * waits, so a handler only names the work.
 *
 * @param last close the connection after this answer, whatever the client requested
 */
public record Answer(Response response, Work work, boolean last) {

    public static Answer of(Response response) {
        return new Answer(response, Work.NONE, false);
    }

    /** For a request that could not be read, or will not be served: the connection ends with it. */
    public static Answer last(Status status, String explanation) {
        return new Answer(Response.error(status, explanation), Work.NONE, true);
    }
}
