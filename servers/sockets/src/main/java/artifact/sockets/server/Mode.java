package artifact.sockets.server;

import java.net.BindException;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** A concurrency model: a class with options, and how it serves. Java starts it by the {@code main} here (JEP 512). */
public interface Mode {

    /** Serves until the process is stopped; throws {@link ParameterException} when options contradict each other. */
    void serve() throws Exception;

    /** Reads the options and serves; a wrong option ends the process with status 2. */
    default void main(String[] args) throws Exception {
        CommandLine line = new CommandLine(this).setCommandName(getClass().getSimpleName());
        line.getCommandSpec().usageMessage().showDefaultValues(true);
        try {
            ParseResult given = line.parseArgs(args);
            given.matchedOptions().forEach(Mode::requireFromOne);
            if (!CommandLine.printHelpIfRequested(given)) {
                serve();
                // Handler threads that outlived a graceful stop must not keep the process.
                System.exit(0);
            }
        } catch (ParameterException | IllegalArgumentException | BindException wrong) {
            // Neither an address that is none nor a port that is taken names its option.
            System.err.println(String.join(" ", args) + ": " + wrong.getMessage());
            System.err.println("--help describes each option.");
            System.exit(line.getCommandSpec().exitCodeOnInvalidInput());
        }
    }

    /** The JDK takes a backlog of 0 for 50, and closes a connection that has no time. */
    private static void requireFromOne(OptionSpec option) {
        if (option.getValue() instanceof Integer number && number < 1 && !option.longestName().equals("--port")) {
            throw new IllegalArgumentException(option.longestName() + " is a whole number from 1, not " + number);
        }
    }
}
