package artifact.spring.database;

import artifact.spring.telemetry.CounterSource;
import artifact.stacks.common.PoolWaits;
import com.zaxxer.hikari.HikariDataSource;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.*;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** HikariCP before the database at {@code spring.datasource.url}; without the property there is neither. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("spring.datasource.url")
@EnableConfigurationProperties(DataSourceProperties.class)
@Import({QueryController.class, RegistrationController.class, RegistrationController.Refusals.class})
public class Database {

    /** Rows that a point query chooses from, with the ids from 1. */
    static final int ITEMS = 1000;

    @Bean
    PoolWaits poolWaits() {
        return new PoolWaits();
    }

    @Bean
    CounterSource poolCounters(PoolWaits waits) {
        return waits::counters;
    }

    @Bean
    @ConfigurationProperties("spring.datasource.hikari")
    HikariDataSource dataSource(DataSourceProperties properties, PoolWaits waits) {
        HikariDataSource pool = properties
                .initializeDataSourceBuilder()
                .type(HikariDataSource.class)
                .build();
        pool.setMetricsTrackerFactory(waits);
        return pool;
    }

    /** The tables are there before the first request. */
    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).execute(dataSource);
        insertItems(jdbc);
        return jdbc;
    }

    /** By one statement: a commit for each row would take longer than all else in a start. */
    private static void insertItems(JdbcTemplate jdbc) {
        try {
            jdbc.execute(IntStream.rangeClosed(1, ITEMS)
                    .mapToObj(id -> "(" + id + ", 'item " + id + "')")
                    .collect(Collectors.joining(", ", "INSERT INTO items (id, content) VALUES ", "")));
        } catch (DuplicateKeyException present) {
            // Another server of this database was first.
        }
    }
}
