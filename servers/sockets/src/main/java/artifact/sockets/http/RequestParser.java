package artifact.sockets.http;

import static artifact.sockets.http.Parsed.Incomplete.INCOMPLETE;

import module java.base;

/**
 * Reads HTTP/1.0 and HTTP/1.1 requests out of bytes that come in pieces of any size (RFC 9112).
 *
 * <p>It keeps what it has of an unfinished request, so that a caller may hand over bytes as they
 * arrive, from a blocking stream or from a selector alike. One parser serves one connection, request
 * after request, until it refuses: then the connection's framing is lost and it must be closed.
 */
public final class RequestParser {

    /** Longest request line and header fields together, in bytes; longer ones are refused. */
    public static final int MAX_HEAD_BYTES = 8192;

    /** Grows with the longest head: ten thousand connections must not cost their limit each. */
    private byte[] head = new byte[256];

    private int headLength;
    private int lineStart;
    private RequestHead awaitingBody;
    private long bodyBytesLeft;

    /** Takes bytes from {@code input} up to the end of one request at the most. */
    public Parsed parse(ByteBuffer input) {
        try {
            if (awaitingBody == null && !takeHead(input)) {
                return INCOMPLETE;
            }
            return skipBody(input);
        } catch (RefusedException refused) {
            return new Parsed.Refused(refused.getMessage());
        }
    }

    private boolean takeHead(ByteBuffer input) throws RefusedException {
        while (input.hasRemaining()) {
            byte next = input.get();
            append(next);
            if (next == '\n' && endsHead()) {
                awaitingBody = RequestHead.of(head, headLength);
                bodyBytesLeft = awaitingBody.contentLength();
                headLength = 0;
                lineStart = 0;
                return true;
            }
        }
        return false;
    }

    private void append(byte next) throws RefusedException {
        boolean afterCarriageReturn = headLength > lineStart && head[headLength - 1] == '\r';
        if (afterCarriageReturn != (next == '\n')) {
            throw new RefusedException("every line of a request ends in CR LF, together");
        }
        if (next >= 0 && next < ' ' && next != '\t' && next != '\r' && next != '\n' || next == 0x7f) {
            throw new RefusedException("control character in the request head");
        }
        if (headLength == MAX_HEAD_BYTES) {
            throw new RefusedException("request line and fields are limited to " + MAX_HEAD_BYTES + " bytes");
        }
        if (headLength == head.length) {
            head = Arrays.copyOf(head, 2 * head.length);
        }
        head[headLength++] = next;
    }

    /** Called after each line: true when it was the empty one that ends the head. */
    private boolean endsHead() {
        boolean emptyLine = headLength - lineStart == 2;
        boolean beforeRequestLine = lineStart == 0;
        if (emptyLine && beforeRequestLine) {
            // A server ought to ignore empty lines before a request (RFC 9112, section 2.2).
            headLength = 0;
            return false;
        }
        lineStart = headLength;
        return emptyLine;
    }

    private Parsed skipBody(ByteBuffer input) {
        int skipped = (int) Math.min(bodyBytesLeft, input.remaining());
        input.position(input.position() + skipped);
        bodyBytesLeft -= skipped;
        if (bodyBytesLeft > 0) {
            return INCOMPLETE;
        }
        Request request = awaitingBody.request();
        awaitingBody = null;
        return new Parsed.Complete(request);
    }
}
