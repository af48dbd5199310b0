package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The right to write, kept in the row of table {@code meta}. A new leader raises the epoch. Every append checks the epoch in
 * its own transaction, on a row that one transaction at a time can lock. So a daemon that reconnects after a takeover changes
 * nothing. Each batch has a number, by which a batch whose commit was not confirmed is recognised.
 */
final class Leadership {
    private record MetaRow(long epoch, long batchNumber, long lastSeq, String writer) {}

    private final Database database;
    private long epoch = -1;

    Leadership(Database database) {
        this.database = database;
    }

    /** Takes the leadership; false while another daemon holds it. The row stays locked until the transaction ends. */
    boolean acquire(Connection connection) throws SQLException {
        if (!database.tryLead(connection)) {
            return false;
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE meta SET epoch = epoch + 1, batch_number = 0, writer = ?, since_millis = ?")) {
            new SqlTable.StatementParameters(update)
                    .text(Database.describeSelf())
                    .number(System.currentTimeMillis());
            update.executeUpdate();
        }
        return true;
    }

    /** Records that the epoch of {@link #acquire} is durable. */
    void confirm(long newEpoch) {
        epoch = newEpoch;
    }

    long epoch(Connection connection) throws SQLException {
        return readMeta(connection).epoch;
    }

    long lastSeq(Connection connection) throws SQLException {
        return readMeta(connection).lastSeq;
    }

    EngineLocation engineLocation(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT location_id, location FROM meta")) {
            result.next();
            return new EngineLocation(result.getString(1), result.getString(2));
        }
    }

    void setEngineLocation(Connection connection, EngineLocation engineLocation) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE meta SET location_id = ?, location = ?")) {
            new SqlTable.StatementParameters(update).text(engineLocation.id()).text(engineLocation.description());
            update.executeUpdate();
        }
    }

    String writer(Connection connection) throws SQLException {
        return readMeta(connection).writer;
    }

    /** Throws unless this daemon still leads. */
    void verify(Connection connection) throws SQLException {
        ensureLeading(connection);
        MetaRow meta = readMeta(connection);
        if (meta.epoch != epoch) {
            throw leadLost(meta);
        }
    }

    /** Throws unless this daemon still leads; keeps others from the leadership until the transaction ends. */
    void lockLead(Connection connection) throws SQLException {
        ensureLeading(connection);
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE meta SET writer = writer WHERE epoch = ?")) {
            new SqlTable.StatementParameters(update).number(epoch);
            if (update.executeUpdate() == 0) {
                throw leadLost(readMeta(connection));
            }
        }
    }

    /**
     * Reserves the sequence numbers after {@code before} up to {@code last}; false when the batch with this number is already
     * stored.
     */
    boolean advance(Connection connection, long batchNumber, long before, long last) throws SQLException {
        ensureLeading(connection);
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE meta SET batch_number = ?, last_seq = ? WHERE epoch = ? AND batch_number < ? AND last_seq = ?")) {
            new SqlTable.StatementParameters(update)
                    .number(batchNumber)
                    .number(last)
                    .number(epoch)
                    .number(batchNumber)
                    .number(before);
            if (update.executeUpdate() == 1) {
                return true;
            }
        }
        MetaRow meta = readMeta(connection);
        if (meta.epoch != epoch) {
            throw leadLost(meta);
        }
        if (meta.batchNumber >= batchNumber) {
            return false;
        }
        throw new StoreException(
                "the history ends at entry " + meta.lastSeq + "; the next entry cannot be " + (before + 1), false);
    }

    /** A reconnected writer has lost the lock; it takes it again unless another daemon holds it. */
    private void ensureLeading(Connection connection) throws SQLException {
        if (epoch < 0) {
            throw new StoreException("only the leading daemon writes to " + database.address(), false);
        }
        if (!database.tryLead(connection)) {
            MetaRow meta = readMeta(connection);
            if (meta.epoch != epoch) {
                throw leadLost(meta);
            }
            throw new StoreException("the leadership of " + database.address() + " is not confirmed yet", true);
        }
    }

    /** A daemon that has lost the leadership must not hold the lock: the new leader needs it after a lost connection. */
    private StoreException leadLost(MetaRow meta) {
        database.releaseLead();
        return new StoreException(
                "another daemon (" + meta.writer + ") has taken over " + database.address()
                        + "; this one writes no more",
                false);
    }

    private static MetaRow readMeta(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT epoch, batch_number, last_seq, writer FROM meta")) {
            if (!result.next()) {
                throw new StoreException(
                        "the row of table meta is gone. Put a backup in place (docs/operator/store.md).", false);
            }
            return new MetaRow(result.getLong(1), result.getLong(2), result.getLong(3), result.getString(4));
        }
    }
}
