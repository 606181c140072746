package artifact.spring.service;

import artifact.stacks.common.Sql;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.*;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The service that every stack has, where there are a remote and a database for it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty({"remote.url", "spring.datasource.url"})
@Import(ServiceController.class)
public class Service {

    /** The tables are there before the first request. */
    @Bean
    TransactionTemplate transactions(DataSource pool) {
        Sql.setUp().forEach(new JdbcTemplate(pool)::execute);
        return new TransactionTemplate(new BeginTransactions(pool));
    }
}
