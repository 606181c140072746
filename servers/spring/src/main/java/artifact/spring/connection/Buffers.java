package artifact.spring.connection;

import artifact.stacks.common.Options;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@code buffer-bytes}: what Tomcat sets aside to read from a connection and to write to it, for the connection itself and
 * once more for the request that it serves (Tomcat's documentation, "The HTTP Connector", Java TCP socket attributes).
 */
@Configuration(proxyBeanMethods = false)
public class Buffers {

    @Bean
    @ConditionalOnProperty("buffer-bytes")
    TomcatConnectorCustomizer buffersOf(Options options) {
        String bytes = String.valueOf(options.number("buffer-bytes"));
        return connector -> {
            for (String name : new String[] {"socket.appReadBufSize", "socket.appWriteBufSize"}) {
                if (!connector.setProperty(name, bytes)) {
                    throw new IllegalStateException("this Tomcat has no " + name);
                }
            }
        };
    }
}
