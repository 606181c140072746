package artifact.stacks.mvc;

import artifact.stacks.common.Options;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring MVC on Jetty. */
@Configuration(proxyBeanMethods = false)
public class Jetty {

    public static void main(String[] arguments) {
        Application.run(Jetty.class, arguments);
    }

    @Bean
    JettyServletWebServerFactory server(Options options) throws UnknownHostException {
        JettyServletWebServerFactory server = new JettyServletWebServerFactory(options.number("port"));
        server.setAddress(InetAddress.getByName("127.0.0.1"));
        server.setThreadPool(threads(options));
        server.addServerCustomizers(jetty -> setLimits(jetty, options));
        return server;
    }

    private static ThreadPool threads(Options options) {
        if (!options.on("virtual")) {
            return new QueuedThreadPool(options.number("threads"));
        }
        VirtualThreadPool threads = new VirtualThreadPool();
        // 200 by default, virtual or not.
        threads.setMaxThreads(0);
        return threads;
    }

    private static void setLimits(Server jetty, Options options) {
        ServerConnector connector = (ServerConnector) jetty.getConnectors()[0];
        connector.setAcceptQueueSize(options.number("backlog"));
        connector.setIdleTimeout(options.number("idle-timeout-s") * 1000L);
        connector.getConnectionFactory(HttpConnectionFactory.class)
                .getHttpConfiguration()
                .setRequestHeaderSize(options.number("header-bytes"));
    }
}
