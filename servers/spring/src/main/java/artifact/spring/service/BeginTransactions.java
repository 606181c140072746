package artifact.spring.service;

import java.sql.*;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.*;
import org.springframework.transaction.support.*;

/**
 * Transactions by BEGIN and COMMIT, as R2DBC has them: three round trips for an order, one
 * for a query without a transaction. Spring's JdbcTransactionManager takes four for an order, to leave
 * auto-commit and to return to it; with auto-commit off in the pool it takes two, and a query two as well.
 */
final class BeginTransactions extends AbstractPlatformTransactionManager {

    private final transient DataSource pool;

    BeginTransactions(DataSource pool) {
        this.pool = pool;
    }

    @Override
    protected Object doGetTransaction() {
        return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        Connection connection = DataSourceUtils.getConnection(pool);
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
        } catch (SQLException failure) {
            DataSourceUtils.releaseConnection(connection, pool);
            throw new CannotCreateTransactionException("BEGIN failed", failure);
        }
        ConnectionHolder holder = new ConnectionHolder(connection);
        holder.setSynchronizedWithTransaction(true);
        TransactionSynchronizationManager.bindResource(pool, holder);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        try {
            holder().getConnection().commit();
        } catch (SQLException failure) {
            throw new TransactionSystemException("COMMIT failed", failure);
        }
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        try {
            holder().getConnection().rollback();
        } catch (SQLException failure) {
            throw new TransactionSystemException("ROLLBACK failed", failure);
        }
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        ConnectionHolder holder = holder();
        TransactionSynchronizationManager.unbindResource(pool);
        DataSourceUtils.releaseConnection(holder.getConnection(), pool);
    }

    private ConnectionHolder holder() {
        return (ConnectionHolder) TransactionSynchronizationManager.getResource(pool);
    }
}
