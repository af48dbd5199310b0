package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Everything that differs between SQLite and PostgreSQL. The statements are the same for both. */
interface Database extends AutoCloseable {
    /** For messages; without a password. */
    String address();

    /** A connection that may write; its commits are durable. */
    Connection connect() throws SQLException;

    /** Read-only connections. */
    DataSource readers();

    /** A read-only connection that no other reader can occupy. */
    DataSource dedicatedReader();

    /** Replaces the few words of a migration that differ between databases. */
    String toDialect(String sql);

    /** Keeps other connections from a change of the schema until the transaction ends, however long that takes. */
    void lockSchema(Connection connection) throws SQLException;

    /** Takes the leadership, or keeps it, for the life of this connection; false while another connection holds it. */
    boolean tryLead(Connection connection) throws SQLException;

    /** Releases the leadership on return, so that another daemon can take it; without effect when this one does not hold it. */
    void releaseLead();

    /** The failure with a message for operators. */
    StoreException toStoreException(String operation, SQLException failure);

    @Override
    void close();

    /** This process as the holder of the leadership, for messages. */
    static String describeSelf() {
        return "pid " + ProcessHandle.current().pid() + " on " + HostName.NAME;
    }
}
