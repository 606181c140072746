package artifact.spring.log;

import static org.junit.jupiter.api.Assertions.*;

import module java.base;
import artifact.spring.App;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for a log file that stalls. */
class LogTest {

    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final byte[] MORE_THAN_A_PIPE = new byte[1 << 17];

    @Test
    void whoWritesMoreThanAPipeHoldsWaitsWhileTheReaderRests() throws Exception {
        try (Fifo fifo = new Fifo(Duration.ZERO, FOR_EVER);
                OutputStream output = new FileOutputStream(fifo.path().toFile())) {
            Thread writer = Thread.ofPlatform().daemon().start(() -> write(output));
            App.await("it waits in the kernel", () -> {
                StackTraceElement[] stack = writer.getStackTrace();
                return stack.length > 0 && stack[0].getMethodName().equals("writeBytes");
            });
        }
    }

    @Test
    void goesOnWhenTheReaderReads() throws Exception {
        Fifo fifo = new Fifo(FOR_EVER, Duration.ZERO);
        try (OutputStream output = new FileOutputStream(fifo.path().toFile())) {
            output.write(MORE_THAN_A_PIPE);
        }
        fifo.close();
        assertFalse(fifo.path().toFile().exists());
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "asynchronous"})
    void aPageLogsByEitherAppender(String appender) throws Exception {
        try (App app = App.start("--virtual=true", "--appender=" + appender)) {
            assertEquals("OK", app.get("/api/log-test?bytes=1").body());
        }
    }

    private static void write(OutputStream output) {
        try {
            output.write(MORE_THAN_A_PIPE);
        } catch (IOException readerIsGone) {
            // The test is over.
        }
    }
}
