package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Everything in which SQLite and PostgreSQL differ. The statements are the same for both. */
interface Database extends AutoCloseable {
    /** For people; without a password. */
    String address();

    /** A connection that may write; whatever commits on it is durable. */
    Connection connect() throws SQLException;

    /** Connections that only read. */
    DataSource readers();

    /** One that only reads and that no other reader can keep busy. */
    DataSource ownReader();

    /** Replaces the few words of a migration that each database spells in its own way. */
    String spelled(String sql);

    /** Nobody else changes the schema until the transaction ends, however long that takes. */
    void reserveSchema(Connection connection) throws SQLException;

    /** Becomes the one writer, or stays it, as long as this connection lasts; false while another is and may leave. */
    boolean lead(Connection connection) throws SQLException;

    /** What went wrong, in words for people. */
    StoreException explain(String doing, SQLException trouble);

    @Override
    void close();

    /** A writer that another one would have to wait for, as it is named in messages. */
    static String self() {
        return "pid " + ProcessHandle.current().pid() + " on " + Host.NAME;
    }
}
