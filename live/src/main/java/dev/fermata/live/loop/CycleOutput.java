package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Job;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.learning.LearningOutput;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileUpdate;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.CoRunRow;
import dev.fermata.live.store.EstimateRow;
import dev.fermata.live.store.ProfileRow;
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.SubmissionRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The output of one scheduling cycle: what becomes durable, and what is then ordered and answered. */
final class CycleOutput implements LearningOutput {
    final long nowMillis;
    private final List<LoopRequest> requests;

    /** Events that the scheduler has not received yet. */
    private List<Event> events = new ArrayList<>();

    /** Jobs that these events update. */
    private final Map<Long, Job> updatedJobs = new HashMap<>();

    /** Jobs accepted in this cycle that the scheduler has not received yet. */
    final Map<Long, LiveJob> acceptedJobs = new HashMap<>();

    /** New specs of updated jobs. */
    final Map<Long, JobSpec> updatedSpecs = new HashMap<>();

    /** The user that requested something for this job; -1 for the cluster. */
    final Map<Long, String> actors = new HashMap<>();

    final Map<Long, EngineEvent.AttemptExit> exits = new HashMap<>();

    /** Measurements of the attempts that ended. */
    final Map<Long, AttemptMeasurements> measurements = new HashMap<>();

    /** Profile updates that they caused. */
    final Map<Long, ProfileUpdate> profileUpdates = new HashMap<>();

    /** GPU memory of attempts that ran out of it. */
    final Map<Long, Integer> insufficientMib = new HashMap<>();

    /** Job classes of the measured attempts. */
    final Map<Long, String> jobClasses = new HashMap<>();

    /** Profiles that a person changed. */
    final Set<ProfileKey> updatedKeys = new LinkedHashSet<>();

    final List<ProfileRow> profileRows = new ArrayList<>();
    private final List<CoRunRow> coRunRows = new ArrayList<>();
    private final List<EstimateRow> estimateRows = new ArrayList<>();
    final Map<String, SubmissionRow> submissions = new HashMap<>();

    /** Time spent on learning. */
    long learningNanos;

    /** The first failed read of this cycle: later requests that must read fail at once. */
    @Nullable
    StoreException readFailure;

    final List<HistoryEntry> entries = new ArrayList<>();
    final Set<LiveJob> changedJobs = new LinkedHashSet<>();
    final Set<LiveAttempt> changedAttempts = new LinkedHashSet<>();
    final List<AuditRow> auditRows = new ArrayList<>();

    /** Whether a job entered the queue, for the first time or again. */
    boolean jobsArrived;

    /** Entries that are not history records of the scheduler. */
    final List<ExtraEntry> extraEntries = new ArrayList<>();

    /** Numbers of answers of the engine, by what they are about and what they say. */
    final Map<EngineAnswer, Integer> engineAnswers = new LinkedHashMap<>();

    /** The id of the next job; smaller ones exist or have ended. */
    long nextJobId;

    /** Orders to the engine, issued after the cycle is durable, before the answers and the queries. */
    final List<EngineOrder> orders = new ArrayList<>();

    final List<Runnable> answers = new ArrayList<>();
    final List<LoopRequest.LoopQuery<?>> queries = new ArrayList<>();

    /** An answer of the engine, for metrics: a type of order and {@code accepted}, for instance. */
    record EngineAnswer(String about, String result) {}

    void addEngineAnswer(String about, String result) {
        engineAnswers.merge(new EngineAnswer(about, result), 1, Integer::sum);
    }

    /** A history entry that is not a history record of the scheduler; {@code jobId} is -1 for the cluster. */
    record ExtraEntry(String actor, long jobId, String type, Object body) {}

    CycleOutput(long nowMillis, List<LoopRequest> requests) {
        this.nowMillis = nowMillis;
        this.requests = requests;
    }

    @Override
    public long nowMillis() {
        return nowMillis;
    }

    @Override
    public void addEvent(Event event) {
        events.add(event);
        if (event instanceof Event.JobUpdated changed) {
            updatedJobs.put(changed.job().id(), changed.job());
        }
    }

    /** Whether there are events for the scheduler. */
    boolean hasEvents() {
        return !events.isEmpty();
    }

    /** Whether this attempt was reported as running in this cycle. */
    boolean reportsRunning(long jobId, int attempt) {
        return events.stream()
                .anyMatch(event -> event instanceof Event.Running running
                        && running.jobId() == jobId
                        && running.attempt() == attempt);
    }

    /** Returns and removes the events for the scheduler. */
    List<Event> takeEvents() {
        List<Event> taken = events;
        events = new ArrayList<>();
        updatedJobs.clear();
        return taken;
    }

    @Override
    public Job currentJob(JobView view) {
        return updatedJobs.getOrDefault(view.id(), view.job());
    }

    @Override
    public JobSpec currentSpec(LiveJob job) {
        return updatedSpecs.getOrDefault(job.id, job.spec);
    }

    @Override
    public void addEntry(String actor, long jobId, String type, Object body) {
        extraEntries.add(new ExtraEntry(actor, jobId, type, body));
    }

    @Override
    public void addChangedAttempt(LiveAttempt attempt) {
        changedAttempts.add(attempt);
    }

    @Override
    public void addUpdatedKeys(Collection<ProfileKey> keys) {
        updatedKeys.addAll(keys);
    }

    @Override
    public void addCoRunRows(Collection<CoRunRow> rows) {
        coRunRows.addAll(rows);
    }

    @Override
    public void addEstimateRow(EstimateRow row) {
        estimateRows.add(row);
    }

    @Override
    public void addInsufficientMemory(long job, int mib) {
        insufficientMib.put(job, mib);
    }

    void audit(Actor actor, String action, String target, String result) {
        auditRows.add(new AuditRow(0, nowMillis, actor.user(), actor.role(), actor.address(), action, target, result));
    }

    /** Rejects every request of this cycle. */
    void rejectRequests(RequestRejectedException rejection) {
        requests.forEach(request -> request.answer().completeExceptionally(rejection));
    }

    Batch batch() {
        return new Batch(
                List.copyOf(entries),
                changedJobs.stream().map(LiveJob::row).toList(),
                changedAttempts.stream().map(LiveAttempt::row).toList(),
                List.copyOf(submissions.values()),
                List.copyOf(auditRows),
                profileRows,
                estimateRows,
                coRunRows);
    }

    /** Runs a learning task and adds its duration. */
    void timeLearning(Runnable task) {
        long begin = System.nanoTime();
        task.run();
        learningNanos += System.nanoTime() - begin;
    }
}
