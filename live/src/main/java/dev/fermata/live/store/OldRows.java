package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes rows of jobs that ended long ago, within a transaction. Entries after the older of the two snapshots stay, since a
 * recovery replays them, and so does the last job, whose id gives the next one.
 */
final class OldRows {
    private static final int MAX_JOBS = 200;
    private static final int MAX_ROWS = 2000;
    private static final List<String> TABLES_OF_JOB = List.of("history", "attempt", "estimate", "spec");

    private final Connection connection;

    OldRows(Connection connection) {
        this.connection = connection;
    }

    int remove(long endedBeforeMillis, long auditBeforeMillis) throws SQLException {
        long replayed = number("SELECT COALESCE(MIN(seq), 0) FROM snapshot");
        int removed = 0;
        for (long job : endedJobs(endedBeforeMillis, replayed)) {
            for (String table : TABLES_OF_JOB) {
                execute("DELETE FROM " + table + " WHERE job = ?", job);
            }
            removed += execute("DELETE FROM job WHERE id = ?", job);
        }
        removed += execute(
                "DELETE FROM history WHERE seq IN (SELECT seq FROM history WHERE job < 0 AND at_millis < ? AND seq <= ?"
                        + " ORDER BY seq LIMIT ?)",
                endedBeforeMillis,
                replayed,
                MAX_ROWS);
        removed += execute("DELETE FROM submission WHERE at_millis < ?", endedBeforeMillis);
        removed += execute(
                "DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE at_millis < ? ORDER BY seq LIMIT ?)",
                auditBeforeMillis,
                MAX_ROWS);
        return removed;
    }

    private List<Long> endedJobs(long endedBeforeMillis, long replayed) throws SQLException {
        List<Long> found = new ArrayList<>();
        try (PreparedStatement query =
                connection.prepareStatement("SELECT id FROM job WHERE finished_millis >= 0 AND finished_millis < ?"
                        + " AND id < (SELECT MAX(id) FROM job)"
                        + " AND NOT EXISTS (SELECT 1 FROM history WHERE history.job = job.id AND history.seq > ?)"
                        + " ORDER BY finished_millis, id LIMIT ?")) {
            bind(query, endedBeforeMillis, replayed, MAX_JOBS);
            try (ResultSet result = query.executeQuery()) {
                while (result.next()) {
                    found.add(result.getLong(1));
                }
            }
        }
        return found;
    }

    private long number(String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet result = query.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }

    private int execute(String sql, long... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            return statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, long... parameters) throws SQLException {
        SqlTable.StatementParameters to = new SqlTable.StatementParameters(statement);
        for (long parameter : parameters) {
            to.number(parameter);
        }
    }
}
