package dev.fermata.live.store;

import dev.fermata.live.store.Tables.OwnedLine;
import dev.fermata.live.store.Tables.SpecText;
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
    private static final int ASKED_AT_ONCE = 500;

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
                jobs.stream().map(job -> new SpecText(job.id(), job.spec())).toList());
        Tables.LINE.insert(connection, owned(lines, jobs));
        Tables.RUN.upsert(connection, SqlStore.latest(batch.runs(), run -> List.of(run.jobId(), (long) run.attempt())));
        Tables.SUBMISSION.upsert(
                connection, SqlStore.latest(batch.submissions(), one -> List.of(one.user(), one.key())));
        Tables.AUDIT.insert(connection, batch.audit());
        learned(connection, batch.kinds());
        Tables.ESTIMATE.upsert(
                connection, SqlStore.latest(batch.estimates(), one -> List.of(one.jobId(), one.moment())));
        Tables.PAIR.upsert(
                connection,
                SqlStore.latest(batch.pairs(), pair -> List.of(pair.slowed(), pair.beside(), pair.gpuType())));
    }

    private List<OwnedLine> owned(List<Line> lines, List<JobRow> jobs) throws SQLException {
        Map<Long, String> owners = new HashMap<>();
        jobs.forEach(job -> owners.put(job.id(), job.user()));
        List<Long> unknown = lines.stream()
                .map(Line::jobId)
                .filter(job -> job >= 0 && !owners.containsKey(job))
                .distinct()
                .toList();
        for (int from = 0; from < unknown.size(); from += ASKED_AT_ONCE) {
            ask(unknown.subList(from, Math.min(unknown.size(), from + ASKED_AT_ONCE)), owners);
        }
        List<OwnedLine> owned = new ArrayList<>(lines.size());
        for (Line line : lines) {
            owned.add(new OwnedLine(line, owners.getOrDefault(line.jobId(), "")));
        }
        return owned;
    }

    private void ask(List<Long> jobs, Map<Long, String> owners) throws SQLException {
        String ids = "?" + ", ?".repeat(jobs.size() - 1);
        try (PreparedStatement query =
                connection.prepareStatement("SELECT id, owner FROM job WHERE id IN (" + ids + ")")) {
            Table.Slots slots = new Table.Slots(query);
            for (long job : jobs) {
                slots.number(job);
            }
            try (ResultSet result = query.executeQuery()) {
                while (result.next()) {
                    owners.put(result.getLong(1), result.getString(2));
                }
            }
        }
    }

    static void learned(Connection connection, List<KindRow> kinds) throws SQLException {
        Tables.KIND.upsert(
                connection,
                SqlStore.latest(kinds, kind -> List.of(kind.command(), kind.model(), kind.gpuType(), kind.gpus())));
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
