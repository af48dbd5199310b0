package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.store.Tables.OwnedLine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Answers from connections of its own: readers wait neither for the writer nor, on PostgreSQL, for the lead. */
final class SqlReader implements Store.Reader {
    private static final String WITH_SPEC =
            "SELECT " + Tables.JOB.selected() + ", spec.body FROM job JOIN spec ON spec.job = job.id ";

    private final Database database;
    private final DataSource connections;

    SqlReader(Database database, DataSource connections) {
        this.database = database;
        this.connections = connections;
    }

    /** Something asked with one statement. */
    @FunctionalInterface
    interface Question<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    <T> T ask(String doing, String sql, Question<T> question) {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            return question.of(statement);
        } catch (SQLException e) {
            throw database.explain(doing, e);
        }
    }

    @Override
    public Optional<JobRow> job(long id) {
        return ask("read a job", WITH_SPEC + "WHERE job.id = ?", statement -> {
            new Table.Slots(statement).number(id);
            return Tables.JOB.read(statement).stream().findFirst();
        });
    }

    @Override
    public Page<JobRow> jobs(JobQuery query) {
        int limit = capped(query.limit());
        JobSearch search = new JobSearch(query, limit + 1);
        return ask("read jobs", search.sql(), statement -> {
            search.bind(statement);
            return page(Tables.JOB.read(statement), limit);
        });
    }

    @Override
    public List<JobRow> ended(int limit) {
        String sql = WITH_SPEC + "WHERE finished_millis >= 0 ORDER BY finished_millis DESC, id DESC LIMIT ?";
        return ask("read ended jobs", sql, statement -> {
            new Table.Slots(statement).number(Math.max(0, limit));
            return Tables.JOB.read(statement);
        });
    }

    @Override
    public List<RunRow> runs(long jobId) {
        String sql = "SELECT " + Tables.RUN.selected() + " FROM run WHERE job = ? ORDER BY attempt";
        return ask("read attempts", sql, statement -> {
            new Table.Slots(statement).number(jobId);
            return Tables.RUN.read(statement);
        });
    }

    @Override
    public Page<Line> lines(LineQuery query) {
        int limit = capped(query.limit());
        long after = query.afterSeq() > 0 ? query.afterSeq() : beforeTime(query.sinceMillis());
        boolean ofJob = query.jobId() != -1;
        String sql = "SELECT " + Tables.LINE.selected() + " FROM line WHERE seq > ? AND at_millis >= ?"
                + (ofJob ? " AND job = ?" : "")
                // A job has fewer lines than its user: the index of owners must not be taken for both.
                + (query.user().isEmpty() ? "" : ofJob ? " AND owner || '' = ?" : " AND owner = ?")
                + (query.kinds().isEmpty()
                        ? ""
                        : " AND kind IN (?" + ", ?".repeat(query.kinds().size() - 1) + ")")
                + " ORDER BY seq LIMIT ?";
        return ask("read the history", sql, statement -> {
            Table.Slots slots = new Table.Slots(statement).number(after).number(query.sinceMillis());
            if (ofJob) {
                slots.number(query.jobId());
            }
            if (!query.user().isEmpty()) {
                slots.text(query.user());
            }
            for (String kind : query.kinds()) {
                slots.text(kind);
            }
            slots.number(limit + 1);
            return page(
                    Tables.LINE.read(statement).stream().map(OwnedLine::line).toList(), limit);
        });
    }

    /** The line before the first of that time or later: found in an index, where a walk from line 1 would be long. */
    private long beforeTime(long sinceMillis) {
        if (sinceMillis <= 0) {
            return 0;
        }
        return ask("read the history", "SELECT MIN(seq) FROM line WHERE at_millis >= ?", statement -> {
            new Table.Slots(statement).number(sinceMillis);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                long first = result.getLong(1);
                return result.wasNull() ? Long.MAX_VALUE : first - 1;
            }
        });
    }

    @Override
    public Page<AuditRow> audit(long beforeSeq, int limit) {
        int rows = capped(limit);
        String sql =
                "SELECT audit.seq, " + Tables.AUDIT.selected() + " FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?";
        return ask("read the audit trail", sql, statement -> {
            new Table.Slots(statement).number(beforeSeq).number(rows + 1);
            return page(Tables.AUDIT.read(statement), rows);
        });
    }

    @Override
    public Optional<Submission> submission(String user, String key) {
        String sql =
                "SELECT " + Tables.SUBMISSION.selected() + " FROM submission WHERE owner = ? AND submission_key = ?";
        return ask("read a submission", sql, statement -> {
            new Table.Slots(statement).text(user).text(key);
            return Tables.SUBMISSION.read(statement).stream().findFirst();
        });
    }

    @Override
    public List<KindRow> kinds(int limit) {
        String sql = "SELECT " + Tables.KIND.selected()
                + " FROM kind ORDER BY at_millis DESC, command DESC, model DESC, gpu_type DESC, gpus DESC LIMIT ?";
        return ask("read what was learned", sql, statement -> {
            new Table.Slots(statement).number(Math.max(0, limit));
            return oldestFirst(Tables.KIND.read(statement));
        });
    }

    @Override
    public List<PairRow> pairs(int limit) {
        String sql = "SELECT " + Tables.PAIR.selected()
                + " FROM pair ORDER BY at_millis DESC, slowed DESC, beside DESC, gpu_type DESC LIMIT ?";
        return ask("read what pairs showed", sql, statement -> {
            new Table.Slots(statement).number(Math.max(0, limit));
            return oldestFirst(Tables.PAIR.read(statement));
        });
    }

    @Override
    public List<EstimateRow> estimates(long jobId) {
        String sql = "SELECT " + Tables.ESTIMATE.selected() + " FROM estimate WHERE job = ? ORDER BY at_millis, moment";
        return ask("read estimates", sql, statement -> {
            new Table.Slots(statement).number(jobId);
            return Tables.ESTIMATE.read(statement);
        });
    }

    @Override
    public List<EstimateRow> settledEstimates(long sinceMillis, int limit) {
        String sql = "SELECT " + Tables.ESTIMATE.selected()
                + " FROM estimate WHERE at_millis >= ? ORDER BY at_millis DESC, job DESC LIMIT ?";
        return ask("read estimates", sql, statement -> {
            new Table.Slots(statement).number(sinceMillis).number(Math.max(0, limit));
            return oldestFirst(Tables.ESTIMATE.read(statement));
        });
    }

    private static <T> List<T> oldestFirst(List<T> latestFirst) {
        Collections.reverse(latestFirst);
        return latestFirst;
    }

    @Override
    public Map<JobState, Long> counts() {
        return ask("count jobs", "SELECT state, COUNT(*) FROM job GROUP BY state", statement -> {
            Map<JobState, Long> counts = new EnumMap<>(JobState.class);
            for (JobState state : JobState.values()) {
                counts.put(state, 0L);
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    counts.put(JobState.valueOf(result.getString(1)), result.getLong(2));
                }
            }
            return counts;
        });
    }

    private static int capped(int limit) {
        return Math.max(1, Math.min(limit, Page.MOST));
    }

    private static <T> Page<T> page(List<T> rows, int limit) {
        return rows.size() <= limit
                ? new Page<>(rows, false)
                : new Page<>(rows.stream().limit(limit).collect(Collectors.toList()), true);
    }
}
