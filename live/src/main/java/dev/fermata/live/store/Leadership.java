package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The right to write, as the row of {@code meta} has it. Whoever takes it raises the epoch; every change of the history checks the
 * epoch in its own transaction, on a row that only one transaction can hold. So a daemon that was cut off and comes back after another has
 * taken over changes nothing any more, whatever it believes. Each batch has a ticket, by which one that was committed
 * without anybody hearing of it is known again.
 */
final class Leadership {
    private record Meta(long epoch, long ticket, long lastSeq, String writer) {}

    private final Database database;
    private long epoch = -1;

    Leadership(Database database) {
        this.database = database;
    }

    /** Whether it could be taken; false while somebody else has it. Returns holding the row until the transaction ends. */
    boolean take(Connection connection) throws SQLException {
        if (!database.lead(connection)) {
            return false;
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE meta SET epoch = epoch + 1, ticket = 0, writer = ?, since_millis = ?")) {
            new Table.Slots(update).text(Database.self()).number(System.currentTimeMillis());
            update.executeUpdate();
        }
        return true;
    }

    /** What {@link #take} began has become durable. */
    void taken(long newEpoch) {
        epoch = newEpoch;
    }

    long epoch(Connection connection) throws SQLException {
        return meta(connection).epoch;
    }

    long lastSeq(Connection connection) throws SQLException {
        return meta(connection).lastSeq;
    }

    Home home(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT home, home_place FROM meta")) {
            result.next();
            return new Home(result.getString(1), result.getString(2));
        }
    }

    void moveTo(Connection connection, Home home) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE meta SET home = ?, home_place = ?")) {
            new Table.Slots(update).text(home.id()).text(home.place());
            update.executeUpdate();
        }
    }

    String writer(Connection connection) throws SQLException {
        return meta(connection).writer;
    }

    /** Throws when this is not the writer any more. */
    void check(Connection connection) throws SQLException {
        keep(connection);
        Meta meta = meta(connection);
        if (meta.epoch != epoch) {
            throw overtaken(meta);
        }
    }

    /** Throws when this is not the writer any more; else nobody else becomes it until the transaction ends. */
    void hold(Connection connection) throws SQLException {
        keep(connection);
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE meta SET writer = writer WHERE epoch = ?")) {
            new Table.Slots(update).number(epoch);
            if (update.executeUpdate() == 0) {
                throw overtaken(meta(connection));
            }
        }
    }

    /**
     * Makes way for a batch of lines after {@code before} up to {@code last}; false when the batch with this ticket is
     * there already.
     */
    boolean advance(Connection connection, long ticket, long before, long last) throws SQLException {
        keep(connection);
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE meta SET ticket = ?, last_seq = ? WHERE epoch = ? AND ticket < ? AND last_seq = ?")) {
            new Table.Slots(update)
                    .number(ticket)
                    .number(last)
                    .number(epoch)
                    .number(ticket)
                    .number(before);
            if (update.executeUpdate() == 1) {
                return true;
            }
        }
        Meta meta = meta(connection);
        if (meta.epoch != epoch) {
            throw overtaken(meta);
        }
        if (meta.ticket >= ticket) {
            return false;
        }
        throw new StoreException(
                "the history ends at line " + meta.lastSeq + ", so the next is not " + (before + 1), false);
    }

    /** A connection that was lost and made anew does not lead any more; it may again unless another came first. */
    private void keep(Connection connection) throws SQLException {
        if (epoch < 0) {
            throw new StoreException("only the leading daemon writes to " + database.address(), false);
        }
        if (!database.lead(connection)) {
            Meta meta = meta(connection);
            if (meta.epoch != epoch) {
                throw overtaken(meta);
            }
            throw new StoreException("the lead on " + database.address() + " is not settled yet", true);
        }
    }

    private StoreException overtaken(Meta meta) {
        return new StoreException(
                "another daemon (" + meta.writer + ") has taken over " + database.address()
                        + "; this one writes no more",
                false);
    }

    private static Meta meta(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT epoch, ticket, last_seq, writer FROM meta")) {
            if (!result.next()) {
                throw new StoreException(
                        "the row of table meta is gone. Put a backup in place (docs/store.md).", false);
            }
            return new Meta(result.getLong(1), result.getLong(2), result.getLong(3), result.getString(4));
        }
    }
}
