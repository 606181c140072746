package artifact.sockets.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestParserTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n";

    /** Bytes of a client, and the expected result: requests in order, then a refusal at the most. */
    record Sample(String sent, String... made) {
        @Override
        public String toString() {
            String shown = sent.replace("\r", "\\r").replace("\n", "\\n");
            return shown.length() > 60 ? shown.substring(0, 60) + "…" : shown;
        }
    }

    static Stream<Sample> samples() {
        return Stream.of(
                new Sample(GET + "\r\n", "GET / ? keep"),
                new Sample(GET + "\r\n" + GET + "Connection: close\r\n\r\n", "GET / ? keep", "GET / ? close"),
                new Sample("\r\n\r\n" + GET + "\r\n", "GET / ? keep"),
                new Sample("HEAD /a/b?c=d&e=f?g HTTP/1.1\r\nHost:\r\n\r\n", "HEAD /a/b ?c=d&e=f?g keep"),
                new Sample(GET + "Connection: x , CLOSE\r\n\r\n", "GET / ? close"),
                new Sample(GET + "Connection: keep-alive\r\nconnection: close\r\n\r\n", "GET / ? close"),
                new Sample("GET / HTTP/1.0\r\n\r\n", "GET / ? close"),
                new Sample("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / ? keep"),
                new Sample("BREW / HTTP/1.1\r\nhost: a\r\n\r\n", "BREW / ? keep"),
                new Sample("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /" + GET + "\r\n",
                        "POST / ? keep", "GET / ? keep"),
                new Sample(GET + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n" + GET + "\r\n",
                        "GET / ? keep", "GET / ? keep"),
                new Sample(GET + "Content-Length: 000000000000001\r\n\r\n\n" + GET + "\r\n",
                        "GET / ? keep", "GET / ? keep"),
                new Sample(GET + "X: \u00e9\t tail \r\n\r\n", "GET / ? keep"),
                new Sample(GET + "\r\n" + GET, "GET / ? keep"),
                new Sample("GET / HTTP/1.1\r\n\r\n", "400"),
                new Sample(GET + "Host: a\r\n\r\n", "400"),
                new Sample("GET /\r\n"),
                new Sample("GET /\r\n\r\n", "400"),
                new Sample("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
                new Sample("GET / a HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
                new Sample("GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
                new Sample("GET / HTTP/1.1\nHost: a\n\n", "400"),
                new Sample("GET / HTTP/1.1\rHost", "400"),
                new Sample("\u0016\u0003\u0001", "400"),
                new Sample(GET + "X: a\u0000b\r\n\r\n", "400"),
                new Sample(GET + "X : a\r\n\r\n", "400"),
                new Sample(GET + "X: a\r\n folded\r\n\r\n", "400"),
                new Sample(GET + "no colon\r\n\r\n", "400"),
                new Sample(GET + ": no name\r\n\r\n", "400"),
                new Sample(GET + "Content-Length: -1\r\n\r\n", "400"),
                new Sample(GET + "Content-Length: 1, 1\r\n\r\n", "400"),
                new Sample(GET + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
                new Sample(GET + "Content-Length: 65537\r\n\r\n", "413"),
                new Sample(GET + "Content-Length: 99999999999999999999\r\n\r\n", "413"),
                new Sample(GET + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"),
                new Sample("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
                new Sample(GET + "X: " + "x".repeat(8192), "431"),
                new Sample("GET /" + "x".repeat(8192), "431"));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void makesTheSameOfARequestHoweverItIsSplit(Sample sample) {
        byte[] sent = sample.sent.getBytes(StandardCharsets.ISO_8859_1);
        List<String> expected = List.of(sample.made);
        for (int split = 0; split <= sent.length; split++) {
            assertEquals(expected, parse(sent, split, sent.length - split), "split after byte " + split);
        }
        for (int size = 1; size <= 16; size++) {
            assertEquals(expected, parse(sent, size, size), "in pieces of " + size);
        }
    }

    @Test
    void takesAHeadOfExactlyTheLimitAndNoLongerOne() {
        String start = GET + "X: ";
        int room = RequestParser.MAX_HEAD_BYTES - start.length() - 4;
        byte[] longest = (start + "x".repeat(room) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] longer = (start + "x".repeat(room + 1) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(List.of("GET / ? keep"), parse(longest, 1000, 1000));
        assertEquals(List.of("431"), parse(longer, 1000, 1000));
    }

    @Test
    void leavesWhatFollowsARequestInTheInput() {
        ByteBuffer input = ByteBuffer.wrap((GET + "\r\nmore").getBytes(StandardCharsets.ISO_8859_1));
        new RequestParser().parse(input);
        assertEquals(4, input.remaining());
    }

    @Test
    void knowsWhetherARequestHasBegun() {
        RequestParser parser = new RequestParser();
        assertFalse(parser.midRequest());
        parser.parse(ByteBuffer.wrap(new byte[] {'G'}));
        assertTrue(parser.midRequest());
        parser.parse(ByteBuffer.wrap("ET / HTTP/1.0\r\nContent-Length: 1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertTrue(parser.midRequest());
        parser.parse(ByteBuffer.wrap(new byte[] {'x'}));
        assertFalse(parser.midRequest());
    }

    /** Hands the bytes over in a first piece, then in pieces of {@code size}. */
    private static List<String> parse(byte[] sent, int first, int size) {
        RequestParser parser = new RequestParser();
        List<String> made = new ArrayList<>();
        int from = 0;
        int length = first;
        while (from < sent.length) {
            int piece = Math.min(Math.max(length, 0), sent.length - from);
            if (!parsePiece(parser, ByteBuffer.wrap(sent, from, piece).slice(), made)) {
                return made;
            }
            from += piece;
            length = Math.max(size, 1);
        }
        return made;
    }

    /** False once the parser has refused. */
    private static boolean parsePiece(RequestParser parser, ByteBuffer piece, List<String> made) {
        while (true) {
            switch (parser.parse(piece)) {
                case Parsed.Complete(Request request) -> made.add(shown(request));
                case Parsed.Refused(Status status, String explanation) -> {
                    assertFalse(explanation.isBlank());
                    made.add(Integer.toString(status.code));
                    return false;
                }
                case Parsed.Incomplete nothing -> {
                    assertFalse(piece.hasRemaining(), "an unfinished request takes all bytes");
                    return true;
                }
            }
        }
    }

    private static String shown(Request request) {
        return request.method() + " " + request.path() + " ?" + request.query()
                + (request.keepAlive() ? " keep" : " close");
    }
}
