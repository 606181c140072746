import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** Records numbers with HdrHistogram's own library and writes their percentile distribution. */
public final class HistogramReference {
    /**
     * Arguments: the unit that values are divided by, lines per halving of the rest to 100 %, and
     * files of a number a line; the distribution of each goes next to it, as {@code .hgrm}.
     */
    public static void main(String[] arguments) throws Exception {
        for (int i = 2; i < arguments.length; i++) {
            var histogram = new Histogram(1, 3_600_000_000_000L, 3);
            for (String line : Files.readAllLines(Path.of(arguments[i]))) {
                histogram.recordValue(Long.parseLong(line));
            }
            try (var out = new PrintStream(arguments[i] + ".hgrm")) {
                histogram.outputPercentileDistribution(
                        out, Integer.parseInt(arguments[1]), Double.parseDouble(arguments[0]));
            }
        }
    }
}
