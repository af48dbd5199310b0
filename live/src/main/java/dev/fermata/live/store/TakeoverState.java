package dev.fermata.live.store;

import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.SqlTables.OwnedEntry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The state from which a daemon continues, read in the transaction in which it took the leadership. */
record TakeoverState(long epoch, RecoveredState recovered) {
    private static final int FETCH_SIZE = 2000;
    private static final String LIVE = "job.state IN (" + JobSearch.LIVE_STATES + ")";

    static TakeoverState read(Connection connection, long epoch, long lastSeq, EngineLocation engineLocation)
            throws SQLException {
        long snapshotSeq = 0;
        Optional<String> snapshot = Optional.empty();
        try (PreparedStatement query =
                        connection.prepareStatement("SELECT seq, body FROM snapshot ORDER BY seq DESC LIMIT 1");
                ResultSet result = query.executeQuery()) {
            if (result.next()) {
                snapshotSeq = result.getLong(1);
                snapshot = Optional.of(result.getString(2));
            }
        }
        List<HistoryEntry> entries;
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT " + SqlTables.HISTORY.selectList() + " FROM history WHERE seq > ? ORDER BY seq")) {
            query.setFetchSize(FETCH_SIZE);
            new SqlTable.StatementParameters(query).number(snapshotSeq);
            entries = SqlTables.HISTORY.read(query).stream()
                    .map(OwnedEntry::entry)
                    .toList();
        }
        List<JobRow> live;
        try (PreparedStatement query = connection.prepareStatement("SELECT " + SqlTables.JOB.selectList()
                + ", spec.body FROM job JOIN spec ON spec.job = job.id WHERE " + LIVE + " ORDER BY job.id")) {
            query.setFetchSize(FETCH_SIZE);
            live = SqlTables.JOB.read(query);
        }
        List<AttemptRow> attempts;
        try (PreparedStatement query = connection.prepareStatement("SELECT " + SqlTables.ATTEMPT.selectList()
                + " FROM job JOIN attempt ON attempt.job = job.id WHERE " + LIVE
                + " AND attempt.attempt = (SELECT MAX(attempt) FROM attempt AS later WHERE later.job = job.id)"
                + " ORDER BY job.id")) {
            query.setFetchSize(FETCH_SIZE);
            attempts = SqlTables.ATTEMPT.read(query);
        }
        return new TakeoverState(
                epoch,
                new RecoveredState(
                        snapshot,
                        snapshotSeq,
                        entries,
                        live,
                        attempts,
                        lastSeq + 1,
                        nextJob(connection),
                        engineLocation));
    }

    private static long nextJob(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT COALESCE(MAX(id), 0) + 1 FROM job");
                ResultSet result = query.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }
}
