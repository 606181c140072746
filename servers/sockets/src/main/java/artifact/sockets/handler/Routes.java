package artifact.sockets.handler;

import module java.base;
import artifact.sockets.http.*;

/** The two resources that every mode serves: the published test page, and the same page after some work. */
public final class Routes implements Handler {

    /** 42 bytes of UTF-8, as many as the published answer: "the request was received and this is the answer". */
    public static final byte[] BODY = "요청을 받았고 이것이 응답이다".getBytes(StandardCharsets.UTF_8);

    private static final Response PAGE = Response.html(BODY);

    @Override
    public Answer handle(Request request) {
        return switch (request.method()) {
            case "GET", "HEAD" -> get(request);
            default -> notFound();
        };
    }

    private static Answer get(Request request) {
        return switch (request.path()) {
            case "/jmeter/test" -> Answer.of(PAGE);
            case "/work" -> work(request.query());
            default -> notFound();
        };
    }

    private static Answer work(String query) {
        try {
            return new Answer(PAGE, WorkQuery.parse(query), false);
        } catch (IllegalArgumentException invalid) {
            return Answer.of(Response.error(Status.BAD_REQUEST, invalid.getMessage()));
        }
    }

    private static Answer notFound() {
        return Answer.of(Response.error(
                Status.NOT_FOUND, "there is GET /jmeter/test and GET /work?sleep_ms=100&cpu_us=0"));
    }
}
