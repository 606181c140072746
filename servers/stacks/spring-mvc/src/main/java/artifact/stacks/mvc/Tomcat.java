package artifact.stacks.mvc;

import artifact.stacks.common.Options;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.threads.VirtualThreadExecutor;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring MVC on Tomcat. */
@Configuration(proxyBeanMethods = false)
public class Tomcat {

    private static final int UNLIMITED = -1;

    public static void main(String[] arguments) {
        Application.run(Tomcat.class, arguments);
    }

    @Bean
    TomcatServletWebServerFactory server(Options options) throws UnknownHostException {
        TomcatServletWebServerFactory server = new TomcatServletWebServerFactory(options.number("port"));
        server.setAddress(InetAddress.getByName("127.0.0.1"));
        server.addConnectorCustomizers(connector -> setLimits(connector, options));
        return server;
    }

    private static void setLimits(Connector connector, Options options) {
        AbstractHttp11Protocol<?> protocol = (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
        int idleMs = options.number("idle-timeout-s") * 1000;
        protocol.setAcceptCount(options.number("backlog"));
        // 8,192 by default, and 100 requests on each.
        protocol.setMaxConnections(UNLIMITED);
        protocol.setMaxKeepAliveRequests(UNLIMITED);
        protocol.setConnectionTimeout(idleMs);
        protocol.setKeepAliveTimeout(idleMs);
        protocol.setMaxHttpRequestHeaderSize(options.number("header-bytes"));
        protocol.setMaxThreads(options.number("threads"));
        if (options.on("virtual")) {
            protocol.setExecutor(new VirtualThreadExecutor("tomcat-"));
        }
    }
}
