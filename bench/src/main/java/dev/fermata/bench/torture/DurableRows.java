package dev.fermata.bench.torture;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.CoRunRow;
import dev.fermata.live.store.EngineLocation;
import dev.fermata.live.store.EstimateRow;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.ProfileRow;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.SubmissionRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What outlives daemons: history, snapshot and rows, as the tables of a real store keep them. It never fails. */
final class DurableRows {
    private final List<HistoryEntry> entries = new ArrayList<>();
    private final TreeMap<Long, JobRow> jobs = new TreeMap<>();
    private final TreeMap<Long, JobRow> live = new TreeMap<>();
    private final Map<Long, TreeMap<Integer, AttemptRow>> attempts = new TreeMap<>();
    private final Map<List<String>, SubmissionRow> submissions = new LinkedHashMap<>();
    private final Map<List<Object>, ProfileRow> profiles = new LinkedHashMap<>();
    private final Map<List<String>, CoRunRow> coRuns = new LinkedHashMap<>();
    private final Map<List<Object>, EstimateRow> estimates = new LinkedHashMap<>();
    private Optional<String> snapshot = Optional.empty();
    private long snapshotSeq;
    private EngineLocation location = EngineLocation.NONE;

    void add(Batch batch) {
        for (HistoryEntry entry : batch.entries()) {
            BrokenLaw.require(
                    entry.seq() == entries.size() + 1,
                    "history entries are numbered without gaps",
                    () -> entry + " after " + entries.size());
            entries.add(entry);
        }
        for (JobRow job : batch.jobs()) {
            jobs.put(job.id(), job);
            live.put(job.id(), job);
            if (job.state().isFinal()) {
                live.remove(job.id());
            }
        }
        batch.attempts()
                .forEach(row -> attempts.computeIfAbsent(row.jobId(), id -> new TreeMap<>())
                        .put(row.attempt(), row));
        batch.submissions().forEach(row -> submissions.put(List.of(row.user(), row.key()), row));
        batch.profiles().forEach(this::add);
        batch.coRuns().forEach(row -> coRuns.put(List.of(row.profile(), row.neighbour(), row.gpuType()), row));
        batch.estimates().forEach(row -> estimates.put(List.of(row.jobId(), row.moment()), row));
    }

    private void add(ProfileRow row) {
        List<Object> key = List.of(row.command(), row.model(), row.gpuType(), row.gpus());
        profiles.remove(key); // the latest are last
        profiles.put(key, row);
    }

    void saveSnapshot(long seq, String text, List<ProfileRow> learned) {
        learned.forEach(this::add);
        snapshot = Optional.of(text);
        snapshotSeq = seq;
    }

    RecoveredState recover() {
        return new RecoveredState(
                snapshot,
                snapshotSeq,
                List.copyOf(entries.subList((int) snapshotSeq, entries.size())),
                List.copyOf(live.values()),
                live.keySet().stream().flatMap(id -> latestAttempt(id).stream()).toList(),
                entries.size() + 1,
                jobs.isEmpty() ? 1 : jobs.lastKey() + 1,
                location);
    }

    void setLocation(EngineLocation where) {
        location = where;
    }

    Optional<JobRow> job(long id) {
        return Optional.ofNullable(jobs.get(id));
    }

    Collection<JobRow> jobs() {
        return jobs.values();
    }

    Collection<JobRow> liveJobs() {
        return live.values();
    }

    Optional<AttemptRow> latestAttempt(long job) {
        return Optional.ofNullable(attempts.get(job))
                .map(rows -> rows.lastEntry().getValue());
    }

    Optional<AttemptRow> attempt(long job, int attempt) {
        return Optional.ofNullable(attempts.get(job)).map(rows -> rows.get(attempt));
    }

    List<AttemptRow> attempts(long job) {
        return List.copyOf(attempts.getOrDefault(job, new TreeMap<>()).values());
    }

    Collection<SubmissionRow> submissions() {
        return submissions.values();
    }

    int entries() {
        return entries.size();
    }

    /** Reads the rows; a lookup of one job or submission may fail. */
    record Reader(DurableRows rows, Runnable mayFail) implements Store.StoreReader {
        @Override
        public Optional<JobRow> job(long id) {
            mayFail.run();
            return rows.job(id);
        }

        @Override
        public RowPage<JobRow> jobs(JobQuery query) {
            List<JobRow> found = rows.jobs.values().stream()
                    .filter(job -> query.states().isEmpty() || query.states().contains(job.state()))
                    .filter(job -> job.id() < query.beforeId())
                    .sorted(Comparator.comparingLong(JobRow::id).reversed())
                    .limit(query.limit())
                    .toList();
            return new RowPage<>(found, found.size() == query.limit());
        }

        @Override
        public List<JobRow> endedJobs(int limit) {
            return rows.jobs.values().stream()
                    .filter(job -> job.state().isFinal())
                    .sorted(Comparator.comparingLong(JobRow::finishedMillis)
                            .thenComparingLong(JobRow::id)
                            .reversed())
                    .limit(limit)
                    .toList();
        }

        @Override
        public List<AttemptRow> attempts(long jobId) {
            return rows.attempts(jobId);
        }

        @Override
        public RowPage<HistoryEntry> history(HistoryQuery query) {
            List<HistoryEntry> found = rows.entries.stream()
                    .filter(entry -> entry.seq() > query.afterSeq() && entry.atMillis() >= query.sinceMillis())
                    .filter(entry -> query.jobId() < 0 || entry.jobId() == query.jobId())
                    .filter(entry -> query.types().isEmpty() || query.types().contains(entry.type()))
                    .limit(query.limit())
                    .toList();
            return new RowPage<>(found, found.size() == query.limit());
        }

        @Override
        public RowPage<AuditRow> audit(long beforeSeq, int limit) {
            return new RowPage<>(List.of(), false);
        }

        @Override
        public Optional<SubmissionRow> submission(String user, String key) {
            mayFail.run();
            return Optional.ofNullable(rows.submissions.get(List.of(user, key)));
        }

        @Override
        public List<ProfileRow> profiles(int limit) {
            return last(rows.profiles.values().stream(), rows.profiles.size(), limit);
        }

        @Override
        public List<CoRunRow> coRuns(int limit) {
            return last(rows.coRuns.values().stream(), rows.coRuns.size(), limit);
        }

        private static <T> List<T> last(Stream<T> all, int size, int limit) {
            return all.skip(Math.max(0, size - limit)).toList();
        }

        @Override
        public List<EstimateRow> estimates(long jobId) {
            return rows.estimates.values().stream()
                    .filter(row -> row.jobId() == jobId)
                    .toList();
        }

        @Override
        public List<EstimateRow> settledEstimates(long sinceMillis, int limit) {
            List<EstimateRow> settled = rows.estimates.values().stream()
                    .filter(row -> row.atMillis() >= sinceMillis)
                    .toList();
            return last(settled.stream(), settled.size(), limit);
        }

        @Override
        public Map<JobState, Long> countsByState() {
            Map<JobState, Long> counts = new EnumMap<>(JobState.class);
            rows.jobs.values().forEach(job -> counts.merge(job.state(), 1L, Long::sum));
            return counts;
        }
    }
}
