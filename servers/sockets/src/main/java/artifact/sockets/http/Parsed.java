package artifact.sockets.http;

/** The result of {@link RequestParser} for the bytes so far. */
public sealed interface Parsed {

    /** A whole request; bytes after it, if any, are still in the input. */
    record Complete(Request request) implements Parsed {}

    /** The bytes are no request that can be answered: explain, with status 400, and close. */
    record Refused(String explanation) implements Parsed {}

    /** All bytes were taken and more are needed. */
    enum Incomplete implements Parsed {
        INCOMPLETE
    }
}
