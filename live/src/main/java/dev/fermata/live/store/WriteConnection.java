package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The one writing connection: one transaction at a time, and a new connection after a loss. */
final class WriteConnection implements AutoCloseable {
    /** The statements of a transaction. */
    @FunctionalInterface
    interface TransactionBody<T> {
        T run(Connection connection) throws SQLException;
    }

    private final Database database;
    private @Nullable Connection connection;
    private boolean closed;

    WriteConnection(Database database) {
        this.database = database;
    }

    /**
     * The work is durable on return. When the connection is lost during the commit, it may be durable despite the exception.
     */
    synchronized <T> T transact(String operation, TransactionBody<T> work) {
        if (closed) {
            throw new StoreException("cannot " + operation + ": the store is closed", false);
        }
        try {
            Connection open = connection;
            if (open == null) {
                open = database.connect();
                connection = open;
            }
            open.setAutoCommit(false);
            T result = work.run(open);
            // Commits. With {@code commit()}, SQLite's driver would begin the next transaction at once and lock out
            // other writers.
            open.setAutoCommit(true);
            return result;
        } catch (SQLException e) {
            rollBack();
            throw database.toStoreException(operation, e);
        } catch (RuntimeException | Error e) {
            rollBack();
            throw e;
        }
    }

    private void rollBack() {
        Connection open = connection;
        if (open == null) {
            return;
        }
        try {
            open.rollback();
            open.setAutoCommit(true);
        } catch (SQLException e) {
            drop(open);
        }
    }

    private void drop(Connection lost) {
        connection = null;
        try {
            lost.close();
        } catch (SQLException e) {
            // The connection is lost either way.
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        Connection open = connection;
        if (open != null) {
            drop(open);
        }
    }
}
