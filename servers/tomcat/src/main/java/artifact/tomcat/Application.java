package artifact.tomcat;

import artifact.tomcat.admission.Admission;
import artifact.tomcat.database.Database;
import artifact.tomcat.remote.RemoteClients;
import artifact.tomcat.telemetry.CountersController;
import artifact.tomcat.telemetry.PinningCounter;
import artifact.tomcat.telemetry.ThreadNames;
import artifact.tomcat.telemetry.ThreadStates;
import artifact.tomcat.telemetry.WatchController;
import artifact.tomcat.work.Work;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.autoconfigure.web.embedded.EmbeddedWebServerFactoryCustomizerAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.DispatcherServletAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.HttpEncodingAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.ServletWebServerFactoryAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * Spring Boot on Tomcat. A mode is a set of properties, given as arguments; a part whose property is
 * not given is not there.
 *
 * <p>What is configured is named here rather than searched for on the class path: a start takes half
 * the CPU time, and nothing is there that was not asked for.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    PropertyPlaceholderAutoConfiguration.class,
    ServletWebServerFactoryAutoConfiguration.class,
    EmbeddedWebServerFactoryCustomizerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    HttpEncodingAutoConfiguration.class,
    ErrorMvcAutoConfiguration.class
})
@Import({
    PingController.class,
    RemoteClients.class,
    Work.class,
    Database.class,
    Admission.class,
    CountersController.class,
    PinningCounter.class,
    ThreadNames.class,
    ThreadStates.class,
    WatchController.class
})
public class Application {

    /** Serves until SIGTERM or SIGINT, after a line that says where; with a wrong option it ends with status 2. */
    public static void main(String[] args) {
        try {
            Options.check(args);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
        }
        ServletWebServerApplicationContext application = start(args);
        String address = application.getEnvironment().getProperty("server.address");
        System.out.println("listening on " + address + ":" + application.getWebServer().getPort());
    }

    static ServletWebServerApplicationContext start(String... args) {
        return (ServletWebServerApplicationContext) SpringApplication.run(Application.class, args);
    }
}
