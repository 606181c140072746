package artifact.spring.log;

import artifact.stacks.common.Options;
import ch.qos.logback.classic.*;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.spi.LifeCycle;
import java.time.Duration;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.*;

/**
 * A page that logs to a file that stalls. {@code appender=file} is Logback's FileAppender, which writes on
 * the thread that logs, one at a time; {@code appender=asynchronous} hands over to a thread of its own, and
 * drops what that cannot take.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("appender")
@Import(LogController.class)
public class Log {

    private static final Duration READS = Duration.ofSeconds(1);
    private static final Duration RESTS = Duration.ofSeconds(2);

    @Bean(destroyMethod = "close")
    Fifo fifo() {
        return new Fifo(READS, RESTS);
    }

    @Bean
    Logger stallingLogger(Options options, Fifo fifo) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Logger logger = context.getLogger("stalling-" + fifo.path().getFileName());
        logger.setAdditive(false);
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        Appender<ILoggingEvent> file = toFile(context, fifo);
        logger.addAppender(options.is("appender", "file") ? file : handsOver(context, file));
        return logger;
    }

    private static Appender<ILoggingEvent> toFile(LoggerContext context, Fifo fifo) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setPattern("%msg%n");
        started(context, encoder);
        FileAppender<ILoggingEvent> file = new FileAppender<>();
        file.setFile(fifo.path().toString());
        file.setEncoder(encoder);
        return started(context, file);
    }

    private static Appender<ILoggingEvent> handsOver(LoggerContext context, Appender<ILoggingEvent> file) {
        AsyncAppender asynchronous = new AsyncAppender();
        asynchronous.setContext(context);
        asynchronous.setNeverBlock(true);
        asynchronous.addAppender(file);
        return started(context, asynchronous);
    }

    private static <T extends ContextAware & LifeCycle> T started(LoggerContext context, T part) {
        part.setContext(context);
        part.start();
        return part;
    }
}
