package artifact.sockets.http;

/** What {@link RequestParser} made of the bytes it was given so far. */
public sealed interface Parsed {

    /** A whole request; bytes after it, if any, are still in the input. */
    record Complete(Request request) implements Parsed {}

    /** The bytes are no request that can be answered: say {@code status}, explain, and close. */
    record Refused(Status status, String explanation) implements Parsed {}

    /** All bytes were taken and more are needed. */
    enum Incomplete implements Parsed {
        INCOMPLETE
    }
}
