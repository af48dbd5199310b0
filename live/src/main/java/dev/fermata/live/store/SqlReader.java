package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.SqlTables.OwnedEntry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Reads on its own connections: readers wait neither for the writer nor, on PostgreSQL, for the leadership. */
final class SqlReader implements Store.StoreReader {
    private static final String WITH_SPEC =
            "SELECT " + SqlTables.JOB.selectList() + ", spec.body FROM job JOIN spec ON spec.job = job.id ";

    /** Thousands of longer specs would not fit into memory together. */
    private static final int MAX_SPEC = 16 << 10;

    private static final long COUNTS_REMEMBERED = 20_000;

    private final Database database;
    private final DataSource connections;
    private final JobCounts counts;

    SqlReader(Database database, DataSource connections) {
        this.database = database;
        this.connections = connections;
        this.counts = new JobCounts(this, COUNTS_REMEMBERED, System::nanoTime);
    }

    /** The result of one statement. */
    @FunctionalInterface
    interface StatementReader<T> {
        T read(PreparedStatement statement) throws SQLException;
    }

    <T> T query(String operation, String sql, StatementReader<T> question) {
        try (Connection connection = connections.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            return question.read(statement);
        } catch (SQLException e) {
            throw database.toStoreException(operation, e);
        }
    }

    @Override
    public Optional<JobRow> job(long id) {
        return query("read a job", WITH_SPEC + "WHERE job.id = ?", statement -> {
            new SqlTable.StatementParameters(statement).number(id);
            return SqlTables.JOB.read(statement).stream().findFirst();
        });
    }

    @Override
    public RowPage<JobRow> jobs(JobQuery query) {
        int limit = cap(query.limit());
        JobSearch search = new JobSearch(query, limit + 1);
        return query("read jobs", search.sql(), statement -> {
            search.bind(statement);
            return toPage(SqlTables.JOB.read(statement), limit);
        });
    }

    @Override
    public List<JobRow> endedJobs(int limit) {
        String sql = "SELECT " + SqlTables.JOB.selectList() + ", CASE WHEN length(spec.body) <= " + MAX_SPEC
                + " THEN spec.body ELSE '' END FROM job JOIN spec ON spec.job = job.id"
                + " WHERE finished_millis >= 0 ORDER BY finished_millis DESC, id DESC LIMIT ?";
        return query("read ended jobs", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(Math.max(0, limit));
            return SqlTables.JOB.read(statement);
        });
    }

    @Override
    public List<AttemptRow> attempts(long jobId) {
        String sql = "SELECT " + SqlTables.ATTEMPT.selectList() + " FROM attempt WHERE job = ? ORDER BY attempt";
        return query("read attempts", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(jobId);
            return SqlTables.ATTEMPT.read(statement);
        });
    }

    @Override
    public RowPage<HistoryEntry> history(HistoryQuery query) {
        int limit = cap(query.limit());
        long after = query.afterSeq() > 0 ? query.afterSeq() : lastSeqBefore(query.sinceMillis());
        boolean ofJob = query.jobId() != -1;
        String sql = "SELECT " + SqlTables.HISTORY.selectList() + " FROM history WHERE seq > ? AND at_millis >= ?"
                + (ofJob ? " AND job = ?" : "")
                // A job has fewer entries than its user: the index of owners must not be used for both.
                + (query.user().isEmpty() ? "" : ofJob ? " AND owner || '' = ?" : " AND owner = ?")
                + (query.types().isEmpty()
                        ? ""
                        : " AND type IN (?" + ", ?".repeat(query.types().size() - 1) + ")")
                + " ORDER BY seq LIMIT ?";
        return query("read the history", sql, statement -> {
            SqlTable.StatementParameters parameters =
                    new SqlTable.StatementParameters(statement).number(after).number(query.sinceMillis());
            if (ofJob) {
                parameters.number(query.jobId());
            }
            if (!query.user().isEmpty()) {
                parameters.text(query.user());
            }
            for (String type : query.types()) {
                parameters.text(type);
            }
            parameters.number(limit + 1);
            return toPage(
                    SqlTables.HISTORY.read(statement).stream()
                            .map(OwnedEntry::entry)
                            .toList(),
                    limit);
        });
    }

    /** The entry before the first one from that time on: found in an index, where a scan from entry 1 would be long. */
    private long lastSeqBefore(long sinceMillis) {
        if (sinceMillis <= 0) {
            return 0;
        }
        return query("read the history", "SELECT MIN(seq) FROM history WHERE at_millis >= ?", statement -> {
            new SqlTable.StatementParameters(statement).number(sinceMillis);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                long first = result.getLong(1);
                return result.wasNull() ? Long.MAX_VALUE : first - 1;
            }
        });
    }

    @Override
    public RowPage<AuditRow> audit(long beforeSeq, int limit) {
        int rows = cap(limit);
        String sql = "SELECT audit.seq, " + SqlTables.AUDIT.selectList()
                + " FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?";
        return query("read the audit trail", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(beforeSeq).number(rows + 1);
            return toPage(SqlTables.AUDIT.read(statement), rows);
        });
    }

    @Override
    public Optional<SubmissionRow> submission(String user, String key) {
        String sql = "SELECT " + SqlTables.SUBMISSION.selectList()
                + " FROM submission WHERE owner = ? AND submission_key = ?";
        return query("read a submission", sql, statement -> {
            new SqlTable.StatementParameters(statement).text(user).text(key);
            return SqlTables.SUBMISSION.read(statement).stream().findFirst();
        });
    }

    @Override
    public List<ProfileRow> profiles(int limit) {
        String sql = "SELECT " + SqlTables.PROFILE.selectList()
                + " FROM profile ORDER BY at_millis DESC, command DESC, model DESC, gpu_type DESC, gpus DESC LIMIT ?";
        return query("read the profiles", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(Math.max(0, limit));
            return oldestFirst(SqlTables.PROFILE.read(statement));
        });
    }

    @Override
    public List<CoRunRow> coRuns(int limit) {
        String sql = "SELECT " + SqlTables.CO_RUN.selectList()
                + " FROM co_run ORDER BY at_millis DESC, profile DESC, neighbour DESC, gpu_type DESC LIMIT ?";
        return query("read co-run samples", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(Math.max(0, limit));
            return oldestFirst(SqlTables.CO_RUN.read(statement));
        });
    }

    @Override
    public List<EstimateRow> estimates(long jobId) {
        String sql =
                "SELECT " + SqlTables.ESTIMATE.selectList() + " FROM estimate WHERE job = ? ORDER BY at_millis, moment";
        return query("read estimates", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(jobId);
            return SqlTables.ESTIMATE.read(statement);
        });
    }

    @Override
    public List<EstimateRow> settledEstimates(long sinceMillis, int limit) {
        String sql = "SELECT " + SqlTables.ESTIMATE.selectList()
                + " FROM estimate WHERE at_millis >= ? ORDER BY at_millis DESC, job DESC LIMIT ?";
        return query("read estimates", sql, statement -> {
            new SqlTable.StatementParameters(statement).number(sinceMillis).number(Math.max(0, limit));
            return oldestFirst(SqlTables.ESTIMATE.read(statement));
        });
    }

    private static <T> List<T> oldestFirst(List<T> latestFirst) {
        Collections.reverse(latestFirst);
        return latestFirst;
    }

    @Override
    public Map<JobState, Long> countsByState() {
        return counts.read();
    }

    private static int cap(int limit) {
        return Math.max(1, Math.min(limit, RowPage.MAX_ROWS));
    }

    private static <T> RowPage<T> toPage(List<T> rows, int limit) {
        return rows.size() <= limit
                ? new RowPage<>(rows, false)
                : new RowPage<>(rows.stream().limit(limit).collect(Collectors.toList()), true);
    }
}
