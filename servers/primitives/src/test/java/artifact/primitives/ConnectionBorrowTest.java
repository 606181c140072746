package artifact.primitives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class ConnectionBorrowTest {

    @Test
    void thePretendedConnectionIsOneThatAPoolKeeps() throws SQLException {
        Connection connection = ConnectionBorrow.pretended(DataSource.class).getConnection();
        assertTrue(connection.isValid(1));
        assertFalse(connection.isClosed());
        assertEquals(0, connection.getNetworkTimeout());
    }
}
