package artifact.stacks.common;

import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON, read and written by the same library in every stack, whatever library the stack has. */
final class Json {

    /** Fields in the order of their declaration. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder().disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY).build();

    private Json() {}

    static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** @throws Rejected if the body is not JSON of this type */
    static <T> T read(byte[] body, Class<T> type) {
        try {
            return Objects.requireNonNull(MAPPER.readValue(body, type));
        } catch (JacksonException | NullPointerException wrong) {
            throw new Rejected(422, "not the JSON of this page");
        }
    }
}
