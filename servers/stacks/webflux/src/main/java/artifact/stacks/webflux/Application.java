package artifact.stacks.webflux;

import module java.base;
import artifact.stacks.common.*;
import io.netty.channel.ChannelOption;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import org.mariadb.r2dbc.MariadbConnectionConfiguration;
import org.mariadb.r2dbc.MariadbConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/**
 * Spring WebFlux on Reactor Netty; the same event loops serve, ask the remote and ask the database. Its
 * transport is epoll, as the starter has it on Linux; every other stack has Java's NIO or blocking sockets.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    NettyReactiveWebServerAutoConfiguration.class,
    HttpHandlerAutoConfiguration.class,
    WebFluxAutoConfiguration.class,
    CodecsAutoConfiguration.class,
    ErrorWebFluxAutoConfiguration.class
})
@Import(Service.class)
public class Application {

    private static final int UNLIMITED = -1;

    public static void main(String[] arguments) {
        String cpus = String.valueOf(Runtime.getRuntime().availableProcessors());
        Options options = StackOptions.parse(arguments, Map.of("loops", cpus, "password-workers", "0"));
        SpringApplication application = new SpringApplication(Application.class);
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("options", options));
        var context = (ReactiveWebServerApplicationContext) application.run();
        System.out.println("listening on 127.0.0.1:" + context.getWebServer().getPort());
    }

    @Bean
    LoopResources loops(Options options) {
        return LoopResources.create("loop", options.number("loops"), true);
    }

    @Bean
    NettyReactiveWebServerFactory server(Options options, LoopResources loops) throws UnknownHostException {
        NettyReactiveWebServerFactory server = new NettyReactiveWebServerFactory(options.number("port"));
        server.setAddress(InetAddress.getByName("127.0.0.1"));
        server.addServerCustomizers(netty -> limited(netty.runOn(loops), options));
        return server;
    }

    private static HttpServer limited(HttpServer netty, Options options) {
        return netty.option(ChannelOption.SO_BACKLOG, options.number("backlog"))
                .maxKeepAliveRequests(UNLIMITED)
                .idleTimeout(Duration.ofSeconds(options.number("idle-timeout-s")))
                .httpRequestDecoder(decoder -> decoder.maxHeaderSize(options.number("header-bytes")));
    }

    @Bean
    WebFluxConfigurer bodyLimit(Options options) {
        return new WebFluxConfigurer() {
            @Override
            public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
                codecs.defaultCodecs().maxInMemorySize(options.number("body-bytes"));
            }
        };
    }

    @Bean
    ConnectionPool pool(Options options, LoopResources loops) {
        DatabaseAddress address = options.database();
        MariadbConnectionConfiguration connection = MariadbConnectionConfiguration.builder()
                .host(address.host())
                .port(address.port())
                .database(address.name())
                .username(address.user())
                .password(address.password())
                .loopResources(loops)
                .build();
        int connections = options.number("pool");
        return new ConnectionPool(ConnectionPoolConfiguration.builder(new MariadbConnectionFactory(connection))
                .initialSize(connections)
                .maxSize(connections)
                .maxAcquireTime(Duration.ofSeconds(30))
                .build());
    }

    @Bean
    DatabaseClient database(ConnectionPool pool) {
        DatabaseClient database = DatabaseClient.create(pool);
        Flux.fromIterable(Sql.setUp()).concatMap(sql -> database.sql(sql).then()).blockLast();
        return database;
    }

    @Bean
    TransactionalOperator transactions(ConnectionPool pool) {
        return TransactionalOperator.create(new R2dbcTransactionManager(pool));
    }

    @Bean
    WebClient client(Options options, LoopResources loops) {
        ConnectionProvider connections = ConnectionProvider.builder("remote")
                .maxConnections(options.number("client-connections"))
                // Twice as many as connections may wait by default, and all others fail.
                .pendingAcquireMaxCount(UNLIMITED)
                .build();
        HttpClient client = HttpClient.create(connections).runOn(loops).responseTimeout(Duration.ofSeconds(10));
        return WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(client))
                .build();
    }

    /** Where passwords are checked, if not on the event loops. */
    @Bean
    Scheduler passwords(Options options) {
        int workers = options.number("password-workers");
        return workers == 0 ? Schedulers.immediate() : Schedulers.newParallel("passwords", workers);
    }
}
