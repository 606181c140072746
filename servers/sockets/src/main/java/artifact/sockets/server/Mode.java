package artifact.sockets.server;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A concurrency model: a class with options, and how it serves. Java starts it by the {@code main} here (JEP 512). */
public interface Mode {

    /** Serves until the process is stopped; throws {@link ParameterException} when options contradict each other. */
    void serve() throws Exception;

    /** Reads the options and serves; a wrong option ends the process with status 2. */
    default void main(String[] args) throws Exception {
        CommandLine line = new CommandLine(this).setCommandName(getClass().getSimpleName());
        line.getCommandSpec().usageMessage().showDefaultValues(true);
        try {
            if (!CommandLine.printHelpIfRequested(line.parseArgs(args))) {
                serve();
                // Handler threads that outlived a graceful stop must not keep the process.
                System.exit(0);
            }
        } catch (ParameterException wrong) {
            System.err.println(wrong.getMessage());
            System.err.println("--help describes each option.");
            System.exit(line.getCommandSpec().exitCodeOnInvalidInput());
        }
    }
}
