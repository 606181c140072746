package artifact.stacks.common;

/** A request that gets no answer of the service but the reason why not. */
public final class Rejected extends RuntimeException {

    private final int status;

    Rejected(int status, String reason) {
        // Without a stack trace, which would be the costliest part of the answer.
        super(reason, null, false, false);
        this.status = status;
    }

    public static Rejected remoteFailed() {
        return new Rejected(502, "the remote failed");
    }

    public Answer answer() {
        return Answer.failure(status, getMessage());
    }
}
