package dev.fermata.live.store;

import dev.fermata.live.store.Tables.OwnedLine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes a batch within a transaction. */
final class Append {
    private static final int IMAGES_KEPT = 2;

    private final Connection connection;
    private final Leadership leadership;

    Append(Connection connection, Leadership leadership) {
        this.connection = connection;
        this.leadership = leadership;
    }

    void write(Batch batch, long ticket) throws SQLException {
        List<Line> lines = batch.lines();
        long last = lines.isEmpty()
                ? leadership.lastSeq(connection)
                : lines.get(lines.size() - 1).seq();
        long before = last - lines.size();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).seq() != before + 1 + i) {
                throw new StoreException(
                        "line " + lines.get(i).seq() + " stands where " + (before + 1 + i) + " should be", false);
            }
        }
        if (!leadership.advance(connection, ticket, before, last)) {
            return;
        }
        List<JobRow> jobs = SqlStore.latest(batch.jobs(), JobRow::id);
        Tables.JOB.upsert(connection, jobs);
        Tables.SPEC.upsertChanged(
                connection,
                jobs.stream().map(job -> Map.entry(job.id(), job.spec())).toList());
        Tables.LINE.insert(connection, owned(lines, jobs));
        Tables.RUN.upsert(connection, SqlStore.latest(batch.runs(), run -> List.of(run.jobId(), (long) run.attempt())));
        Tables.SUBMISSION.upsert(
                connection, SqlStore.latest(batch.submissions(), one -> List.of(one.user(), one.key())));
        Tables.AUDIT.insert(connection, batch.audit());
    }

    private List<OwnedLine> owned(List<Line> lines, List<JobRow> jobs) throws SQLException {
        Map<Long, String> owners = new HashMap<>();
        owners.put(-1L, "");
        jobs.forEach(job -> owners.put(job.id(), job.user()));
        List<OwnedLine> owned = new ArrayList<>(lines.size());
        try (PreparedStatement query = connection.prepareStatement("SELECT owner FROM job WHERE id = ?")) {
            for (Line line : lines) {
                String owner = owners.get(line.jobId());
                if (owner == null) {
                    owner = owner(query, line.jobId());
                    owners.put(line.jobId(), owner);
                }
                owned.add(new OwnedLine(line, owner));
            }
        }
        return owned;
    }

    private static String owner(PreparedStatement query, long job) throws SQLException {
        new Table.Slots(query).number(job);
        try (ResultSet result = query.executeQuery()) {
            return result.next() ? result.getString(1) : "";
        }
    }

    static void image(Connection connection, long seq, String image) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(
                "INSERT INTO image (seq, body) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET body = excluded.body")) {
            new Table.Slots(upsert).number(seq).text(image);
            upsert.executeUpdate();
        }
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM image WHERE seq NOT IN (SELECT seq FROM image ORDER BY seq DESC LIMIT ?)")) {
            new Table.Slots(delete).number(IMAGES_KEPT);
            delete.executeUpdate();
        }
    }
}
