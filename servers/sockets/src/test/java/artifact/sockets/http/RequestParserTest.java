package artifact.sockets.http;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** In a sample | is CR LF. */
class RequestParserTest {

    private static final String GET = "GET / HTTP/1.1|Host: a|";

    static Stream<Arguments> samples() {
        Stream<Stream<Arguments>> samples = Stream.of(
                made("GET / ? keep",
                        "||" + GET + "|",
                        GET + "X: \u00e9\t tail ||",
                        GET + "|" + GET,
                        "GET / HTTP/1.0|Connection: Keep-Alive||"),
                made("GET / ? close",
                        GET + "Connection: x , CLOSE||",
                        GET + "Connection: keep-alive|connection: close||",
                        "GET / HTTP/1.0||"),
                made("HEAD /a/b ?c=d&e=f?g keep", "HEAD /a/b?c=d&e=f?g HTTP/1.1|Host:||"),
                made("POST / ? keep, GET / ? keep",
                        "POST / HTTP/1.1|Host: a|Content-Length: 10|Content-Length: 10||GET / HTTP" + GET + "|"),
                made("refused",
                        "GET / HTTP/1.1||",
                        GET + "Host: a||",
                        "GET / a HTTP/1.1|Host: a||",
                        "GET / HTTP/2.0|Host: a||",
                        "GET / HTTP/1.1\nHost: a\n\n",
                        "GET / HTTP/1.1\rHost",
                        GET + "X: a\u0000b||",
                        GET + "X : a||",
                        GET + "Content-Length: 1, 1||",
                        GET + "Content-Length: 9999999999||",
                        GET + "Content-Length: 1|Content-Length: 2||",
                        GET + "Transfer-Encoding: chunked||0||"));
        return samples.flatMap(each -> each);
    }

    private static Stream<Arguments> made(String made, String... samples) {
        return Stream.of(samples).map(sent -> Arguments.of(sent, made));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void makesTheSameOfARequestHoweverItIsSplit(String sample, String made) {
        int length = bytes(sample).length;
        for (int split = 0; split <= length; split++) {
            assertEquals(made, parse(sample, split, length), "split after byte " + split);
        }
        for (int size = 1; size <= 16; size++) {
            assertEquals(made, parse(sample, size, size), "in pieces of " + size);
        }
    }

    @Test
    void takesAHeadOfExactlyTheLimitAndNoLongerOne() {
        int room = RequestParser.MAX_HEAD_BYTES - bytes(GET + "X: ||").length;
        assertEquals("GET / ? keep", parse(GET + "X: " + "x".repeat(room) + "||", 1000, 1000));
        assertEquals("refused", parse("x".repeat(RequestParser.MAX_HEAD_BYTES + 1), 1000, 1000));
    }

    private static byte[] bytes(String sample) {
        return sample.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Hands the bytes over in a first piece, then in pieces of {@code size}, until the parser refuses. */
    private static String parse(String sample, int first, int size) {
        RequestParser parser = new RequestParser();
        List<String> made = new ArrayList<>();
        ByteBuffer input = ByteBuffer.wrap(bytes(sample));
        int end = input.limit();
        input.limit(Math.min(first, end));
        while (true) {
            switch (parser.parse(input)) {
                case Parsed.Complete(Request request) -> made.add(shown(request));
                case Parsed.Refused(String explanation) -> {
                    made.add("refused");
                    return String.join(", ", made);
                }
                case Parsed.Incomplete nothing -> {
                    assertFalse(input.hasRemaining(), "an unfinished request takes all bytes");
                    if (input.limit() == end) {
                        return String.join(", ", made);
                    }
                    input.limit(Math.min(input.limit() + size, end));
                }
            }
        }
    }

    private static String shown(Request request) {
        return request.method() + " " + request.path() + " ?" + request.query()
                + (request.keepAlive() ? " keep" : " close");
    }
}
