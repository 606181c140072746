package artifact.spring.remote;

import artifact.stacks.common.Options;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.http.client.ClientHttpRequestFactory;

/**
 * The client that Spring Boot chooses by itself, as it sets it up: that of an application with its starters for the web
 * and for RestClient, and no other client on the class path. So it has no time limit and no limit of connections.
 */
@Lazy
@ConditionalOnProperty(name = "http-client", havingValue = "boot")
final class BootRemote extends Remote {

    BootRemote(Options options) {
        super(chosen(options));
    }

    private static ClientHttpRequestFactory chosen(Options options) {
        ClientHttpRequestFactoryBuilder<?> chosen =
                ClientHttpRequestFactoryBuilder.detect(new StartersAlone(BootRemote.class.getClassLoader()));
        // ImperativeHttpClientAutoConfiguration does so where spring.threads.virtual.enabled is true.
        if (chosen instanceof JdkClientHttpRequestFactoryBuilder jdk && options.on("virtual")) {
            chosen = jdk.withExecutor(new VirtualThreadTaskExecutor("httpclient-"));
        }
        return chosen.build();
    }

    /** The class path without the clients that this application has for its other modes. */
    private static final class StartersAlone extends ClassLoader {

        StartersAlone(ClassLoader all) {
            super(all);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.apache.hc.") || name.startsWith("reactor.netty.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }
}
