package artifact.sockets.http;

/** Leaves the parser as soon as a request cannot be answered; never leaves the package. */
final class RefusedException extends Exception {

    RefusedException(String explanation) {
        // No stack trace: a client's mistake is no event of ours, and a trace costs CPU time under load.
        super(explanation, null, false, false);
    }
}
