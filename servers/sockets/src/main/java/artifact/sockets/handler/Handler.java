package artifact.sockets.handler;

import artifact.sockets.http.Request;

/** Says what a request is answered with and what it costs; never blocks, so that any mode can call it. */
@FunctionalInterface
public interface Handler {

    Answer handle(Request request);
}
