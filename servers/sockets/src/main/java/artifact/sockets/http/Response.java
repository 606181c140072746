package artifact.sockets.http;

import module java.base;

/** One answer, before it is known whether the connection stays open. */
public record Response(Status status, String contentType, byte[] body) {

    public static Response html(byte[] body) {
        return new Response(Status.OK, "text/html;charset=utf-8", body);
    }

    public static Response error(Status status, String explanation) {
        return new Response(status, "text/plain;charset=utf-8", (explanation + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The bytes on the wire: head and body in one array, so that one write sends them.
     *
     * <p>There is no {@code Date} field, as in the published servers: an answer's bytes are then the
     * same in every mode but for {@code Connection}, and formatting a clock is not what is measured.
     *
     * @param headOnly answer to a HEAD request: the same head, no body (RFC 9110, section 9.3.2)
     */
    public byte[] encode(boolean keepAlive, boolean headOnly) {
        byte[] head = head(keepAlive).getBytes(StandardCharsets.US_ASCII);
        if (headOnly) {
            return head;
        }
        return ByteBuffer.allocate(head.length + body.length).put(head).put(body).array();
    }

    private String head(boolean keepAlive) {
        return "HTTP/1.1 " + status.code + " " + status.reason + "\r\n"
                + "Content-Type: " + contentType + "\r\n"
                + "Content-Length: " + body.length + "\r\n"
                + "Connection: " + (keepAlive ? "keep-alive" : "close") + "\r\n\r\n";
    }
}
