package artifact.stacks.mvc;

import artifact.stacks.common.Jdbc;
import artifact.stacks.common.Options;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.DispatcherServletAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.HttpEncodingAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.ServletWebServerFactoryAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.error.ErrorMvcAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.client.RestClient;

/** What Spring MVC has on either server: JDBC behind HikariCP, and a RestClient on a pool of connections. */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    ServletWebServerFactoryAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    HttpEncodingAutoConfiguration.class,
    ErrorMvcAutoConfiguration.class
})
@Import({Service.class, Admission.class})
class Application {

    /** Serves until SIGTERM, after a line that says where. */
    static void run(Class<?> server, String... arguments) {
        Map<String, String> own = Map.of("threads", "200", "virtual", "false", "permits", "0");
        Options options = Options.parse(arguments, own);
        SpringApplication application = new SpringApplication(Application.class, server);
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("options", options));
        var context = (ServletWebServerApplicationContext) application.run();
        System.out.println("listening on 127.0.0.1:" + context.getWebServer().getPort());
    }

    @Bean
    HikariDataSource pool(Options options) throws SQLException {
        return Jdbc.pool(options);
    }

    @Bean
    JdbcTemplate database(DataSource pool) {
        return new JdbcTemplate(pool);
    }

    @Bean
    TransactionTemplate transactions(DataSource pool) {
        return new TransactionTemplate(new JdbcTransactionManager(pool));
    }

    @Bean
    CloseableHttpClient connections(Options options) {
        int connections = options.number("client-connections");
        RequestConfig patience = RequestConfig.custom()
                .setResponseTimeout(Timeout.ofSeconds(10))
                .build();
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(connections)
                        // Five by default.
                        .setMaxConnPerRoute(connections)
                        .build())
                .setDefaultRequestConfig(patience)
                // No other stack asks again.
                .disableAutomaticRetries()
                .build();
    }

    @Bean
    RestClient client(CloseableHttpClient connections) {
        return RestClient.builder()
                .requestFactory(new HttpComponentsClientHttpRequestFactory(connections))
                .build();
    }
}
