package dev.fermata.live.loop;

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
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.SubmissionRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store in memory that outlives scheduler loops and fails on demand. */
public final class InMemoryStore implements Store, Store.StoreReader {
    private final List<HistoryEntry> entries = new ArrayList<>();
    private final TreeMap<Long, JobRow> jobs = new TreeMap<>();
    private final Map<Long, TreeMap<Integer, AttemptRow>> runs = new TreeMap<>();
    private final List<SubmissionRow> submissions = new ArrayList<>();
    private final List<AuditRow> audit = new ArrayList<>();
    private final List<ProfileRow> profileRows = new ArrayList<>();
    private final List<CoRunRow> coRunRows = new ArrayList<>();
    private final List<EstimateRow> estimates = new ArrayList<>();
    private Optional<String> snapshot = Optional.empty();
    private long snapshotSeq;
    private EngineLocation location = EngineLocation.NONE;
    private int appends;
    int lookups;
    boolean unreadable;
    private @Nullable StoreException failure;
    private @Nullable CountDownLatch gate;

    /** Every append fails with this exception from now on; null ends it. */
    synchronized void failWith(@Nullable StoreException exception) {
        failure = exception;
    }

    /** Appends wait for this latch from now on; null ends it. */
    public synchronized void blockOn(@Nullable CountDownLatch latch) {
        gate = latch;
    }

    private void awaitGate() {
        CountDownLatch latch;
        synchronized (this) {
            latch = gate;
        }
        try {
            if (latch != null) {
                latch.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes a row, as damage would. */
    synchronized void removeJob(long id) {
        jobs.remove(id);
    }

    /** Replaces the row of a job, as another program would have written it. */
    synchronized void replaceRow(JobRow row) {
        jobs.put(row.id(), row);
    }

    /** Removes the last history entry and restores the earlier row of its job. */
    synchronized void dropLastEntry(JobRow before) {
        HistoryEntry last = entries.remove(entries.size() - 1);
        if (last.jobId() != before.id()) {
            throw new IllegalStateException("the last entry is about job " + last.jobId());
        }
        jobs.put(before.id(), before);
    }

    /** Replaces the body of the last history entry, as another program would have written it. */
    synchronized void rewriteLastEntry(String body) {
        HistoryEntry last = entries.remove(entries.size() - 1);
        entries.add(new HistoryEntry(
                last.seq(), last.atMillis(), last.jobId(), last.attempt(), last.actor(), last.type(), body));
    }

    /** As a program wrote it that did not know entries of this type. */
    synchronized void removeEntries(String type) {
        entries.removeIf(entry -> entry.type().equals(type));
    }

    public synchronized List<HistoryEntry> entries() {
        return List.copyOf(entries);
    }

    synchronized int appends() {
        return appends;
    }

    synchronized List<AuditRow> audit() {
        return List.copyOf(audit);
    }

    synchronized boolean hasSnapshot() {
        return snapshot.isPresent();
    }

    @Override
    public synchronized Optional<RecoveredState> recover(
            BooleanSupplier waiting, Function<RecoveredState, EngineLocation> checkLocation) {
        List<JobRow> live =
                jobs.values().stream().filter(job -> !job.state().isFinal()).toList();
        List<AttemptRow> latest = live.stream()
                .flatMap(job -> attempts(job.id()).stream()
                        .skip(Math.max(0, attempts(job.id()).size() - 1)))
                .toList();
        long nextId = jobs.isEmpty() ? 1 : jobs.lastKey() + 1;
        RecoveredState found = new RecoveredState(
                snapshot,
                snapshotSeq,
                entries.stream().filter(entry -> entry.seq() > snapshotSeq).toList(),
                live,
                latest,
                entries.size() + 1,
                nextId,
                location);
        location = checkLocation.apply(found);
        return Optional.of(found);
    }

    @Override
    public void append(Batch batch) {
        awaitGate();
        add(batch);
    }

    private synchronized void add(Batch batch) {
        if (failure != null) {
            throw failure;
        }
        appends++;
        for (HistoryEntry entry : batch.entries()) {
            if (entry.seq() != entries.size() + 1) {
                throw new IllegalStateException("entry " + entry.seq() + " after entry " + entries.size());
            }
            entries.add(entry);
        }
        batch.jobs().forEach(job -> jobs.put(job.id(), job));
        batch.attempts()
                .forEach(run ->
                        runs.computeIfAbsent(run.jobId(), id -> new TreeMap<>()).put(run.attempt(), run));
        submissions.addAll(batch.submissions());
        audit.addAll(batch.audit());
        batch.profiles().forEach(this::addProfile);
        batch.coRuns().forEach(coRun -> {
            coRunRows.removeIf(known -> known.profile().equals(coRun.profile())
                    && known.neighbour().equals(coRun.neighbour())
                    && known.gpuType().equals(coRun.gpuType()));
            coRunRows.add(coRun);
        });
        batch.estimates().forEach(one -> {
            estimates.removeIf(
                    known -> known.jobId() == one.jobId() && known.moment().equals(one.moment()));
            estimates.add(one);
        });
    }

    private void addProfile(ProfileRow row) {
        profileRows.removeIf(known -> known.command().equals(row.command())
                && known.model().equals(row.model())
                && known.gpuType().equals(row.gpuType())
                && known.gpus() == row.gpus());
        profileRows.add(row);
    }

    @Override
    public synchronized void saveSnapshot(long seq, String text, List<ProfileRow> profileUpdate) {
        profileUpdate.forEach(this::addProfile);
        snapshot = Optional.of(text);
        snapshotSeq = seq;
    }

    @Override
    public StoreReader reader() {
        return this;
    }

    @Override
    public StoreReader dedicatedReader() {
        return this;
    }

    @Override
    public TokenStore tokens() {
        throw new UnsupportedOperationException("the scheduler loop needs no tokens");
    }

    @Override
    public String address() {
        return "memory";
    }

    @Override
    public void close() {}

    @Override
    public synchronized Optional<JobRow> job(long id) {
        return Optional.ofNullable(jobs.get(id));
    }

    @Override
    public synchronized RowPage<JobRow> jobs(JobQuery query) {
        List<JobRow> found = jobs.values().stream()
                .filter(job -> query.states().isEmpty() || query.states().contains(job.state()))
                .filter(job -> job.id() < query.beforeId())
                .sorted(Comparator.comparingLong(JobRow::id).reversed())
                .limit(query.limit())
                .toList();
        return new RowPage<>(found, found.size() == query.limit());
    }

    @Override
    public synchronized List<JobRow> endedJobs(int limit) {
        return jobs.values().stream()
                .filter(job -> job.state().isFinal())
                .sorted(Comparator.comparingLong(JobRow::finishedMillis).reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized List<AttemptRow> attempts(long jobId) {
        return List.copyOf(runs.getOrDefault(jobId, new TreeMap<>()).values());
    }

    @Override
    public synchronized RowPage<HistoryEntry> history(HistoryQuery query) {
        List<HistoryEntry> found = entries.stream()
                .filter(entry -> entry.seq() > query.afterSeq())
                .filter(entry -> query.types().isEmpty() || query.types().contains(entry.type()))
                .limit(query.limit())
                .toList();
        return new RowPage<>(found, found.size() == query.limit());
    }

    @Override
    public synchronized RowPage<AuditRow> audit(long beforeSeq, int limit) {
        return new RowPage<>(audit, false);
    }

    @Override
    public synchronized Optional<SubmissionRow> submission(String user, String key) {
        lookups++;
        if (unreadable) {
            throw new StoreException("no connection in time", true);
        }
        return submissions.stream()
                .filter(s -> s.user().equals(user) && s.key().equals(key))
                .findFirst();
    }

    @Override
    public synchronized List<CoRunRow> coRuns(int limit) {
        return List.copyOf(coRunRows.subList(Math.max(0, coRunRows.size() - limit), coRunRows.size()));
    }

    @Override
    public synchronized List<ProfileRow> profiles(int limit) {
        return List.copyOf(profileRows.subList(Math.max(0, profileRows.size() - limit), profileRows.size()));
    }

    @Override
    public synchronized List<EstimateRow> estimates(long jobId) {
        return estimates.stream().filter(one -> one.jobId() == jobId).toList();
    }

    @Override
    public synchronized List<EstimateRow> settledEstimates(long sinceMillis, int limit) {
        return estimates.stream()
                .filter(one -> one.atMillis() >= sinceMillis)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized Map<JobState, Long> countsByState() {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        jobs.values().forEach(job -> counts.merge(job.state(), 1L, Long::sum));
        return counts;
    }
}
