package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Jobs by state. Of a long history it counts again only the live jobs and those that have ended since a moment: no job ever ends
 * before it. Removed jobs are noticed within an hour.
 */
final class JobCounts {
    private static final long RECOUNT_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final String ALL = "SELECT state, COUNT(*) FROM job GROUP BY state";
    /** One statement, so that both see the same jobs. */
    private static final String ENDED_BEFORE = "SELECT state, SUM(jobs) FROM (SELECT state, COUNT(*) AS jobs FROM job"
            + " GROUP BY state UNION ALL SELECT state, -COUNT(*) AS jobs FROM job"
            + " WHERE finished_millis >= 0 AND finished_millis >= ? GROUP BY state) AS parts GROUP BY state";

    private static final String LIVE = "SELECT state, COUNT(*) FROM job WHERE state IN ("
            + Arrays.stream(JobState.values())
                    .filter(state -> !state.isFinal())
                    .map(state -> "'" + state.name() + "'")
                    .collect(Collectors.joining(", "))
            + ") GROUP BY state";
    /**
     * Written so that SQLite uses the partial index. It takes that for its condition (from 0 on), and searches it from the first
     * bound that stands here: with another text it reads all ended jobs.
     */
    private static final String ENDED_SINCE = "SELECT state FROM job WHERE finished_millis BETWEEN ? AND "
            + Long.MAX_VALUE + " AND finished_millis >= 0 ORDER BY finished_millis";

    private static final String LAST_END =
            "SELECT finished_millis FROM job WHERE finished_millis >= 0" + " ORDER BY finished_millis DESC LIMIT 1";

    private final SqlReader reader;
    private final long worthRemembering;
    private final LongSupplier nanos;
    /** Those that ended before {@link #endedSince}; empty when nothing is remembered. */
    private Map<JobState, Long> ended = Map.of();

    private long endedSince;
    private long countedNanos;

    /** @param worthRemembering so many ended jobs are not counted each time */
    JobCounts(SqlReader reader, long worthRemembering, LongSupplier nanos) {
        this.reader = reader;
        this.worthRemembering = worthRemembering;
        this.nanos = nanos;
    }

    synchronized Map<JobState, Long> read() {
        if (ended.isEmpty() || nanos.getAsLong() - countedNanos > RECOUNT_NANOS) {
            remember();
        }
        Map<JobState, Long> counts = zero();
        if (ended.isEmpty()) {
            add(counts, reader.query("count jobs", ALL, JobCounts::counts));
            return counts;
        }
        add(counts, ended);
        Map<JobState, Long> since = reader.query("count jobs", ENDED_SINCE, statement -> {
            new SqlTable.StatementParameters(statement).number(endedSince);
            return each(statement);
        });
        add(counts, since);
        add(counts, reader.query("count jobs", LIVE, JobCounts::counts));
        if (sum(since) > worthRemembering) {
            ended = Map.of(); // remembered again next time
        }
        return counts;
    }

    private void remember() {
        long last = reader.query("count jobs", LAST_END, statement -> {
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getLong(1) : -1L;
            }
        });
        Map<JobState, Long> before = last < 0 ? new EnumMap<>(JobState.class) : countBefore(last);
        before.keySet().removeIf(state -> !state.isFinal());
        ended = sum(before) < worthRemembering ? Map.of() : before;
        endedSince = last;
        countedNanos = nanos.getAsLong();
    }

    private Map<JobState, Long> countBefore(long millis) {
        return reader.query("count jobs", ENDED_BEFORE, statement -> {
            new SqlTable.StatementParameters(statement).number(millis);
            return counts(statement);
        });
    }

    private static Map<JobState, Long> each(PreparedStatement statement) throws SQLException {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                counts.merge(JobState.valueOf(result.getString(1)), 1L, Long::sum);
            }
        }
        return counts;
    }

    private static Map<JobState, Long> counts(PreparedStatement statement) throws SQLException {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                counts.put(JobState.valueOf(result.getString(1)), result.getLong(2));
            }
        }
        return counts;
    }

    private static Map<JobState, Long> zero() {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            counts.put(state, 0L);
        }
        return counts;
    }

    private static void add(Map<JobState, Long> to, Map<JobState, Long> counts) {
        counts.forEach((state, count) -> to.merge(state, count, Long::sum));
    }

    private static long sum(Map<JobState, Long> counts) {
        return counts.values().stream().mapToLong(count -> count).sum();
    }
}
