package artifact.sockets.server;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an option's value as a whole number within limits; picocli puts the option's name before the message. */
public abstract class WholeNumber implements ITypeConverter<Integer> {

    private final int min;
    private final int max;

    protected WholeNumber(int min, int max) {
        this.min = min;
        this.max = max;
    }

    @Override
    public Integer convert(String value) {
        if (value.matches("[0-9]{1,9}")) {
            int number = Integer.parseInt(value);
            if (min <= number && number <= max) {
                return number;
            }
        }
        throw new TypeConversionException("'" + value + "' is not a whole number from " + min + " to " + max);
    }

    public static final class Port extends WholeNumber {
        public Port() {
            super(0, 65_535);
        }
    }

    public static final class Count extends WholeNumber {
        public Count() {
            super(1, 1_000_000);
        }
    }

    public static final class Milliseconds extends WholeNumber {
        public Milliseconds() {
            super(1, 3_600_000);
        }
    }
}
