package artifact.stacks.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** JSON, read and written by the same library in every stack, whatever library the stack has. */
final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException wrong) {
            throw new UncheckedIOException(wrong);
        }
    }

    /** @throws Rejected if the body is not what is asked for */
    static <T> T read(byte[] body, Class<T> type) {
        try {
            return Objects.requireNonNull(MAPPER.readValue(body, type));
        } catch (IOException | NullPointerException wrong) {
            throw new Rejected(422, "not the JSON of this page");
        }
    }
}
