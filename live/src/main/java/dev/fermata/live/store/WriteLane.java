package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The one connection that writes: a transaction at a time, and a new connection after it was lost. */
final class WriteLane implements AutoCloseable {
    /** A transaction's content. */
    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private final Database database;
    private @Nullable Connection connection;
    private boolean closed;

    WriteLane(Database database) {
        this.database = database;
    }

    /** All of the work is durable when this returns. Where the connection is lost during the commit, it may be when this throws, too. */
    synchronized <T> T transact(String doing, Work<T> work) {
        if (closed) {
            throw new StoreException("cannot " + doing + ": the store is closed", false);
        }
        try {
            Connection open = connection;
            if (open == null) {
                open = database.connect();
                connection = open;
            }
            open.setAutoCommit(false);
            T result = work.on(open);
            // Commits. A commit by that name would have SQLite's driver begin the next transaction and lock everybody
            // out.
            open.setAutoCommit(true);
            return result;
        } catch (SQLException e) {
            undo();
            throw database.explain(doing, e);
        } catch (RuntimeException | Error e) {
            undo();
            throw e;
        }
    }

    private void undo() {
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
            // It is gone either way.
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
