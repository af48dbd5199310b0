package dev.fermata.live.store;

import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.SqlTables.OwnedEntry;
import dev.fermata.live.store.SqlTables.SpecRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes a batch within a transaction. */
final class BatchWriter {
    private static final int SNAPSHOTS_KEPT = 2;
    private static final int OWNERS_PER_QUERY = 500;

    private final Connection connection;
    private final Leadership leadership;

    BatchWriter(Connection connection, Leadership leadership) {
        this.connection = connection;
        this.leadership = leadership;
    }

    void write(Batch batch, long batchNumber) throws SQLException {
        List<HistoryEntry> entries = batch.entries();
        long last = entries.isEmpty()
                ? leadership.lastSeq(connection)
                : entries.get(entries.size() - 1).seq();
        long before = last - entries.size();
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).seq() != before + 1 + i) {
                throw new StoreException(
                        "history entry " + entries.get(i).seq() + " where " + (before + 1 + i) + " was expected",
                        false);
            }
        }
        if (!leadership.advance(connection, batchNumber, before, last)) {
            return;
        }
        List<JobRow> jobs = SqlStore.lastByKey(batch.jobs(), JobRow::id);
        SqlTables.JOB.upsert(connection, jobs);
        SqlTables.SPEC.upsertChanged(
                connection,
                jobs.stream().map(job -> new SpecRow(job.id(), job.spec())).toList());
        SqlTables.HISTORY.insert(connection, withOwners(entries, jobs));
        SqlTables.ATTEMPT.upsert(
                connection, SqlStore.lastByKey(batch.attempts(), run -> List.of(run.jobId(), (long) run.attempt())));
        SqlTables.SUBMISSION.upsert(
                connection, SqlStore.lastByKey(batch.submissions(), one -> List.of(one.user(), one.key())));
        SqlTables.AUDIT.insert(connection, batch.audit());
        writeProfiles(connection, batch.profiles());
        SqlTables.ESTIMATE.upsert(
                connection, SqlStore.lastByKey(batch.estimates(), one -> List.of(one.jobId(), one.moment())));
        SqlTables.CO_RUN.upsert(
                connection,
                SqlStore.lastByKey(batch.coRuns(), pair -> List.of(pair.profile(), pair.neighbour(), pair.gpuType())));
    }

    private List<OwnedEntry> withOwners(List<HistoryEntry> entries, List<JobRow> jobs) throws SQLException {
        Map<Long, String> owners = new HashMap<>();
        jobs.forEach(job -> owners.put(job.id(), job.user()));
        List<Long> unknown = entries.stream()
                .map(HistoryEntry::jobId)
                .filter(job -> job >= 0 && !owners.containsKey(job))
                .distinct()
                .toList();
        for (int from = 0; from < unknown.size(); from += OWNERS_PER_QUERY) {
            queryOwners(unknown.subList(from, Math.min(unknown.size(), from + OWNERS_PER_QUERY)), owners);
        }
        List<OwnedEntry> owned = new ArrayList<>(entries.size());
        for (HistoryEntry entry : entries) {
            owned.add(new OwnedEntry(entry, owners.getOrDefault(entry.jobId(), "")));
        }
        return owned;
    }

    private void queryOwners(List<Long> jobs, Map<Long, String> owners) throws SQLException {
        String ids = "?" + ", ?".repeat(jobs.size() - 1);
        try (PreparedStatement query =
                connection.prepareStatement("SELECT id, owner FROM job WHERE id IN (" + ids + ")")) {
            SqlTable.StatementParameters parameters = new SqlTable.StatementParameters(query);
            for (long job : jobs) {
                parameters.number(job);
            }
            try (ResultSet result = query.executeQuery()) {
                while (result.next()) {
                    owners.put(result.getLong(1), result.getString(2));
                }
            }
        }
    }

    static void writeProfiles(Connection connection, List<ProfileRow> profiles) throws SQLException {
        SqlTables.PROFILE.upsert(
                connection,
                SqlStore.lastByKey(
                        profiles, type -> List.of(type.command(), type.model(), type.gpuType(), type.gpus())));
    }

    static void writeSnapshot(Connection connection, long seq, String snapshot) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(
                "INSERT INTO snapshot (seq, body) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET body = excluded.body")) {
            new SqlTable.StatementParameters(upsert).number(seq).text(snapshot);
            upsert.executeUpdate();
        }
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM snapshot WHERE seq NOT IN (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT ?)")) {
            new SqlTable.StatementParameters(delete).number(SNAPSHOTS_KEPT);
            delete.executeUpdate();
        }
    }
}
