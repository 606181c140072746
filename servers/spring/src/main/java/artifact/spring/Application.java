package artifact.spring;

import artifact.spring.admission.Admission;
import artifact.spring.database.Database;
import artifact.spring.log.Log;
import artifact.spring.remote.RemoteClients;
import artifact.spring.service.Service;
import artifact.spring.telemetry.*;
import artifact.spring.work.Work;
import artifact.stacks.common.Options;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Spring MVC on Tomcat. A mode is a set of options, given as arguments; a part whose option is not
 * given is not there.
 *
 * <p>Its configuration is named here rather than searched for on the class path: a start takes half
 * the CPU time, and nothing else is there.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    PropertyPlaceholderAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    HttpEncodingAutoConfiguration.class,
    ErrorMvcAutoConfiguration.class
})
@Import({
    StatusController.class,
    RemoteClients.class,
    Work.class,
    Database.class,
    Log.class,
    Service.class,
    Admission.class,
    PinningCounter.class,
    ThreadNames.class,
    ThreadStates.class
})
public class Application {

    /** Serves until SIGTERM or SIGINT, after a line that says where; with a wrong option it ends with status 2. */
    public static void main(String[] arguments) {
        try {
            Words.parse(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
        }
        ServletWebServerApplicationContext application = start(arguments);
        String address = application.getEnvironment().getProperty("server.address");
        System.out.println("listening on " + address + ":" + application.getWebServer().getPort());
    }

    static ServletWebServerApplicationContext start(String... arguments) {
        Options options = Words.parse(arguments);
        SpringApplication application = new SpringApplication(Application.class);
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("options", options));
        return (ServletWebServerApplicationContext) application.run(arguments);
    }
}
