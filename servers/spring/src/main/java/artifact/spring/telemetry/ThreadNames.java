package artifact.spring.telemetry;

import org.apache.coyote.http11.Http11NioProtocol;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Lets Tomcat call its threads http-nio-exec-1 and so on, without address and port: the kernel keeps
 * 15 characters of a name, and would have http-nio-127.0. for a thread of the pool, the poller and
 * the acceptor alike.
 */
public class ThreadNames implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
        tomcat.setProtocol(Http11.class.getName());
    }

    public static final class Http11 extends Http11NioProtocol {

        /** In quotation marks, as Tomcat has them; it takes them off for its threads. */
        @Override
        public String getName() {
            return "\"http-nio\"";
        }
    }
}
