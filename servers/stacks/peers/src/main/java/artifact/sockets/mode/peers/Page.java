package artifact.sockets.mode.peers;

import java.nio.charset.StandardCharsets;

/** The answer of the socket servers, to any path. */
final class Page {

    static final String TYPE = "text/html;charset=utf-8";

    private static final byte[] BODY = "요청을 받았고 이것이 응답이다".getBytes(StandardCharsets.UTF_8);

    private Page() {}

    static byte[] body() {
        return BODY.clone();
    }
}
