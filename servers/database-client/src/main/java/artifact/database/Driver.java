package artifact.database;

import module java.base;

/**
 * Runs loads one after another, in one JVM that stays warm.
 *
 * <p>Each line of standard input is a load: a folder for its records, then the options of {@link Client},
 * all separated by tabs. The reply is a line on standard output: "done", or "failed", a tab and the reason.
 */
public final class Driver {

    private Driver() {}

    public static void main(String[] args) throws IOException {
        PrintStream replies = System.out;
        System.setOut(System.err);
        run(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), replies);
        // A driver or a pool may have left a thread that is no daemon.
        System.exit(0);
    }

    static void run(BufferedReader loads, PrintStream replies) throws IOException {
        replies.println("ready");
        for (String load = loads.readLine(); load != null; load = loads.readLine()) {
            replies.println(reply("--folder=" + load));
        }
    }

    private static String reply(String options) {
        try {
            Client.of(options.split("\t")).run();
            return "done";
        } catch (Exception fault) {
            fault.printStackTrace();
            return "failed\t" + fault.toString().replaceAll("\\s+", " ");
        }
    }
}
