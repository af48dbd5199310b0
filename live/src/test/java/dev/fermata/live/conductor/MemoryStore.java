package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.EstimateRow;
import dev.fermata.live.store.Home;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.KindRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import dev.fermata.live.store.PairRow;
import dev.fermata.live.store.Recovery;
import dev.fermata.live.store.RunRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.Submission;
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

/** A store that outlives conductors but not the test, and fails when told to. */
final class MemoryStore implements Store, Store.Reader {
    private final List<Line> lines = new ArrayList<>();
    private final TreeMap<Long, JobRow> jobs = new TreeMap<>();
    private final Map<Long, TreeMap<Integer, RunRow>> runs = new TreeMap<>();
    private final List<Submission> submissions = new ArrayList<>();
    private final List<AuditRow> audit = new ArrayList<>();
    private final List<KindRow> kinds = new ArrayList<>();
    private final List<PairRow> pairs = new ArrayList<>();
    private final List<EstimateRow> estimates = new ArrayList<>();
    private Optional<String> image = Optional.empty();
    private long imageSeq;
    private Home home = Home.NONE;
    private int appends;
    int lookups;
    boolean unreadable;
    private @Nullable StoreException failure;
    private @Nullable CountDownLatch gate;

    /** From now on every append fails like this; null ends it. */
    synchronized void failWith(@Nullable StoreException exception) {
        failure = exception;
    }

    /** From now on appends wait for this; null ends it. */
    synchronized void waitFor(@Nullable CountDownLatch latch) {
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

    /** Damage: a row that is gone. */
    synchronized void forgetJob(long id) {
        jobs.remove(id);
    }

    /** As if the last line had not become durable, and its job were as it was before. */
    synchronized void cutLastLine(JobRow before) {
        Line last = lines.remove(lines.size() - 1);
        if (last.jobId() != before.id()) {
            throw new IllegalStateException("the last line is about job " + last.jobId());
        }
        jobs.put(before.id(), before);
    }

    synchronized List<Line> lines() {
        return List.copyOf(lines);
    }

    synchronized int appends() {
        return appends;
    }

    synchronized List<AuditRow> audit() {
        return List.copyOf(audit);
    }

    synchronized boolean hasImage() {
        return image.isPresent();
    }

    @Override
    public synchronized Optional<Recovery> recover(BooleanSupplier waiting, Function<Recovery, Home> moveIn) {
        List<JobRow> live =
                jobs.values().stream().filter(job -> !job.state().isFinal()).toList();
        List<RunRow> latest = live.stream()
                .flatMap(job ->
                        runs(job.id()).stream().skip(Math.max(0, runs(job.id()).size() - 1)))
                .toList();
        long nextId = jobs.isEmpty() ? 1 : jobs.lastKey() + 1;
        Recovery found = new Recovery(
                image,
                imageSeq,
                lines.stream().filter(line -> line.seq() > imageSeq).toList(),
                live,
                latest,
                lines.size() + 1,
                nextId,
                home);
        home = moveIn.apply(found);
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
        for (Line line : batch.lines()) {
            if (line.seq() != lines.size() + 1) {
                throw new IllegalStateException("line " + line.seq() + " after line " + lines.size());
            }
            lines.add(line);
        }
        batch.jobs().forEach(job -> jobs.put(job.id(), job));
        batch.runs()
                .forEach(run ->
                        runs.computeIfAbsent(run.jobId(), id -> new TreeMap<>()).put(run.attempt(), run));
        submissions.addAll(batch.submissions());
        audit.addAll(batch.audit());
        batch.kinds().forEach(this::learn);
        batch.pairs().forEach(pair -> {
            pairs.removeIf(known -> known.slowed().equals(pair.slowed())
                    && known.beside().equals(pair.beside())
                    && known.gpuType().equals(pair.gpuType()));
            pairs.add(pair);
        });
        batch.estimates().forEach(one -> {
            estimates.removeIf(
                    known -> known.jobId() == one.jobId() && known.moment().equals(one.moment()));
            estimates.add(one);
        });
    }

    private void learn(KindRow kind) {
        kinds.removeIf(known -> known.command().equals(kind.command())
                && known.model().equals(kind.model())
                && known.gpuType().equals(kind.gpuType())
                && known.gpus() == kind.gpus());
        kinds.add(kind);
    }

    @Override
    public synchronized void saveImage(long seq, String text, List<KindRow> learned) {
        learned.forEach(this::learn);
        image = Optional.of(text);
        imageSeq = seq;
    }

    @Override
    public Reader reader() {
        return this;
    }

    @Override
    public Reader ownReader() {
        return this;
    }

    @Override
    public Tokens tokens() {
        throw new UnsupportedOperationException("conductors know no tokens");
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
    public synchronized Page<JobRow> jobs(JobQuery query) {
        List<JobRow> found = jobs.values().stream()
                .filter(job -> query.states().isEmpty() || query.states().contains(job.state()))
                .filter(job -> job.id() < query.beforeId())
                .sorted(Comparator.comparingLong(JobRow::id).reversed())
                .limit(query.limit())
                .toList();
        return new Page<>(found, found.size() == query.limit());
    }

    @Override
    public synchronized List<JobRow> ended(int limit) {
        return jobs.values().stream()
                .filter(job -> job.state().isFinal())
                .sorted(Comparator.comparingLong(JobRow::finishedMillis).reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized List<RunRow> runs(long jobId) {
        return List.copyOf(runs.getOrDefault(jobId, new TreeMap<>()).values());
    }

    @Override
    public synchronized Page<Line> lines(LineQuery query) {
        List<Line> found = lines.stream()
                .filter(line -> line.seq() > query.afterSeq())
                .limit(query.limit())
                .toList();
        return new Page<>(found, found.size() == query.limit());
    }

    @Override
    public synchronized Page<AuditRow> audit(long beforeSeq, int limit) {
        return new Page<>(audit, false);
    }

    @Override
    public synchronized Optional<Submission> submission(String user, String key) {
        lookups++;
        if (unreadable) {
            throw new StoreException("no connection in time", true);
        }
        return submissions.stream()
                .filter(s -> s.user().equals(user) && s.key().equals(key))
                .findFirst();
    }

    @Override
    public synchronized List<PairRow> pairs(int limit) {
        return List.copyOf(pairs.subList(Math.max(0, pairs.size() - limit), pairs.size()));
    }

    @Override
    public synchronized List<KindRow> kinds(int limit) {
        return List.copyOf(kinds.subList(Math.max(0, kinds.size() - limit), kinds.size()));
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
    public synchronized Map<JobState, Long> counts() {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        jobs.values().forEach(job -> counts.merge(job.state(), 1L, Long::sum));
        return counts;
    }
}
