package dev.fermata.live.store;

import dev.fermata.history.Format1To2;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites the JSON texts of a store of format 1 (Fermata 0.1.0) in format 2, as part of the schema migration. All of
 * it is in the same transaction, so that a crash in the middle leaves the old store. Later formats need a migration of
 * their own: this one stays at the step from 1 to 2. Changes nothing in a store without rows.
 */
final class StoredFormatMigration {
    /** The migration that it belongs to. */
    static final int SCHEMA_VERSION = 6;

    private static final Logger LOG = LoggerFactory.getLogger(StoredFormatMigration.class);
    private static final int PAGE = 2_000;

    private StoredFormatMigration() {}

    static void run(Connection connection) throws SQLException {
        long entries = history(connection);
        texts(connection, "spec", "body", List.of("job"), Format1To2::value);
        texts(connection, "attempt", "measurements", List.of("job", "attempt"), Format1To2::value);
        texts(connection, "profile", "body", List.of("command", "model", "gpu_type", "gpus"), Format1To2::value);
        texts(connection, "snapshot", "body", List.of("seq"), Format1To2::snapshot);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE job SET state = 'PREEMPTING' WHERE state = 'PAUSING'");
            statement.executeUpdate("UPDATE attempt SET outcome = 'PREEMPTED' WHERE outcome = 'PAUSED'");
        }
        if (entries > 0) {
            LOG.info("store upgraded from history format 1 to 2; entries: {}", entries);
        }
    }

    /** Page by page: a history has more entries than fit into memory. */
    private static long history(Connection connection) throws SQLException {
        long last = 0;
        long entries = 0;
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT seq, type, body FROM history WHERE seq > ? ORDER BY seq LIMIT " + PAGE);
                PreparedStatement update =
                        connection.prepareStatement("UPDATE history SET type = ?, body = ? WHERE seq = ?")) {
            while (true) {
                select.setLong(1, last);
                int rows = 0;
                try (ResultSet found = select.executeQuery()) {
                    while (found.next()) {
                        last = found.getLong(1);
                        Format1To2.EntryText entry =
                                Format1To2.entry(new Format1To2.EntryText(found.getString(2), found.getString(3)));
                        update.setString(1, entry.type());
                        update.setString(2, entry.body());
                        update.setLong(3, last);
                        update.addBatch();
                        rows++;
                    }
                }
                if (rows == 0) {
                    return entries;
                }
                update.executeBatch();
                entries += rows;
            }
        }
    }

    /** Rewrites one column of a table; read whole, since keys cannot be paged alike in every table. */
    private static void texts(
            Connection connection, String table, String column, List<String> keys, UnaryOperator<String> upgrade)
            throws SQLException {
        List<Object[]> rows = new ArrayList<>();
        String columns = String.join(", ", keys);
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT " + columns + ", " + column + " FROM " + table)) {
            while (found.next()) {
                Object[] row = new Object[keys.size() + 1];
                for (int i = 0; i < keys.size(); i++) {
                    row[i + 1] = found.getObject(i + 1);
                }
                String text = found.getString(keys.size() + 1);
                row[0] = upgrade.apply(text);
                if (!row[0].equals(text)) {
                    rows.add(row);
                }
            }
        }
        String where = String.join(" = ? AND ", keys) + " = ?";
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + table + " SET " + column + " = ? WHERE " + where)) {
            for (Object[] row : rows) {
                for (int i = 0; i < row.length; i++) {
                    update.setObject(i + 1, row[i]);
                }
                update.addBatch();
            }
            update.executeBatch();
        }
    }
}
