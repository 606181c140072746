package artifact.sockets.http;

/** The status codes that these servers answer with (RFC 9110, section 15). */
public enum Status {
    OK(200, "OK"),
    BAD_REQUEST(400, "Bad Request"),
    NOT_FOUND(404, "Not Found"),
    SERVICE_UNAVAILABLE(503, "Service Unavailable");

    public final int code;
    public final String reason;

    Status(int code, String reason) {
        this.code = code;
        this.reason = reason;
    }
}
