import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.protocol.http.control.Header;
import org.apache.jmeter.protocol.http.control.HeaderManager;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

/**
 * Runs JMeter loads one after another, in one JVM that stays warm.
 *
 * <p>Each line of standard input is a load: a folder, then name=value for each property of the plan,
 * all separated by tabs. Samples go to samples.raw.csv in the folder. The reply is a line on standard
 * output: "done", or "failed", a tab and the reason. SIGTERM ends the JVM, with the samples flushed.
 */
public final class Driver {

    private static final String SAMPLES = "samples.raw.csv";

    private final File plan;
    /** Properties that every load starts from, so that none outlives its load. */
    private final Properties common = new Properties();

    private Driver(File plan) {
        this.plan = plan;
        common.putAll(JMeterUtils.getJMeterProperties());
    }

    public static void main(String[] args) throws IOException {
        // JMeter prints errors on standard output, which is for replies alone.
        PrintStream replies = System.out;
        System.setOut(System.err);
        initialize(args[0], args[2]);
        Driver driver = new Driver(new File(args[1]));
        replies.println("ready");
        BufferedReader loads = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String load = loads.readLine(); load != null; load = loads.readLine()) {
            replies.println(driver.reply(load.split("\t")));
        }
        System.exit(0);
    }

    private static void initialize(String home, String properties) throws IOException {
        System.setProperty(JMeter.JMETER_NON_GUI, "true");
        JMeterUtils.loadJMeterProperties(home + "/bin/jmeter.properties");
        try (Reader file = Files.newBufferedReader(Path.of(properties))) {
            JMeterUtils.getJMeterProperties().load(file);
        }
        JMeterUtils.setJMeterHome(home);
        JMeterUtils.initLocale();
    }

    private String reply(String[] load) {
        try {
            setProperties(load);
            run(Path.of(load[0]));
            return "done";
        } catch (IOException | RuntimeException fault) {
            fault.printStackTrace();
            return "failed\t" + fault.toString().replaceAll("\\s+", " ");
        }
    }

    private void setProperties(String[] load) {
        Map<String, String> given = Arrays.stream(load).skip(1)
                .map(field -> field.split("=", 2))
                .collect(Collectors.toMap(property -> property[0], property -> property[1]));
        Properties properties = JMeterUtils.getJMeterProperties();
        properties.clear();
        properties.putAll(common);
        properties.putAll(given);
    }

    /** Returns when every user has ended and the samples are in their file. */
    private void run(Path folder) throws IOException {
        Path samples = folder.resolve(SAMPLES);
        Files.deleteIfExists(samples);
        ResultCollector collector = new ResultCollector();
        collector.setFilename(samples.toString());
        HashTree tree = SaveService.loadTree(plan);
        JMeter.convertSubTree(tree, false);
        String requests = JMeterUtils.getProperty("requests");
        if (requests != null) {
            sendInTurns(tree, requests.split(","));
        }
        tree.add(tree.getArray()[0], collector);
        StandardJMeterEngine engine = new StandardJMeterEngine();
        engine.configure(tree);
        engine.run();
        requireSamples(samples);
    }

    /**
     * Replaces the plan's request by others, which each user sends one after the other.
     *
     * @param encoded each in Base64: a line "METHOD PATH", a line for each header, an empty line, the body
     */
    private static void sendInTurns(HashTree tree, String[] encoded) {
        HTTPSamplerProxy first = only(tree, HTTPSamplerProxy.class);
        HashTree user = tree.search(only(tree, ThreadGroup.class));
        HashTree below = user.getTree(first);
        user.remove(first);
        for (String text : encoded) {
            String[] parts = new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8).split("\n\n", 2);
            String[] lines = parts[0].split("\n");
            String[] target = lines[0].split(" ", 2);
            HTTPSamplerProxy request = (HTTPSamplerProxy) first.clone();
            request.setMethod(target[0]);
            // Not setPath(), which takes the query apart.
            request.setProperty(HTTPSamplerProxy.PATH, target[1]);
            if (!parts[1].isEmpty()) {
                request.setPostBodyRaw(true);
                request.addNonEncodedArgument("", parts[1], "");
            }
            HeaderManager headers = new HeaderManager();
            // A request finds by this property what applies to it.
            headers.setProperty(TestElement.GUI_CLASS, "org.apache.jmeter.protocol.http.gui.HeaderPanel");
            for (int i = 1; i < lines.length; i++) {
                String[] header = lines[i].split(": ", 2);
                headers.add(new Header(header[0], header[1]));
            }
            HashTree own = user.add(request);
            own.add(below);
            own.add(headers);
        }
    }

    private static <T> T only(HashTree tree, Class<T> type) {
        SearchByClass<T> found = new SearchByClass<>(type);
        tree.traverse(found);
        return found.getSearchResults().iterator().next();
    }

    /** The engine logs what it cannot do, such as a duration that is no whole number, and returns. */
    private static void requireSamples(Path samples) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(samples)) {
            lines.readLine();
            if (lines.readLine() == null) {
                throw new IllegalStateException("no samples; JMeter's log has the reason");
            }
        }
    }
}
