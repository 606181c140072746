package artifact.stacks.common;

import java.util.Objects;

/** The body of {@code POST /order} and {@code POST /order-outside}. */
public record Order(Integer item, Integer quantity) {

    public Order {
        Objects.requireNonNull(item, "item");
        Objects.requireNonNull(quantity, "quantity");
    }

    public static Order of(byte[] body) {
        return Json.read(body, Order.class);
    }
}
