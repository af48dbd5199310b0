package dev.fermata.live.loop;

import dev.fermata.core.contract.Count;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.HistoryFormat;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.history.SnapshotCodec;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.learning.EstimateTracker;
import dev.fermata.live.learning.MemoryReservations;
import dev.fermata.live.learning.ProfileService;
import dev.fermata.live.learning.ProfilingRuns;
import dev.fermata.live.learning.ProgressReports;
import dev.fermata.live.learning.SpeedTracker;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileUpdate;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.shadow.ShadowSpec;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SecretMask;
import dev.fermata.live.state.GpuOccupancy;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduling cycle of the daemon: the scheduler, the live jobs and the number of the next history entry. It learns
 * and decides, and returns what becomes durable and what is ordered then. It never writes to the store or the engine.
 */
public final class SchedulingCycle {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingCycle.class);

    public final Scheduler scheduler;
    public final LiveJobIndex liveJobs = new LiveJobIndex();
    public final GpuOccupancy occupancy;
    final HistoryCodec codec;
    public final RecentArrivals recentArrivals = new RecentArrivals();
    public final RemainingTimeEstimator estimator;
    public final ProfileService profiles;
    private final ProgressReports reports;
    private final EstimateTracker estimateTracker;
    private final HistoryWriter historyWriter;
    private final RequestHandler requestHandler;
    private final MemoryReservations memoryReservations;
    private final SpeedTracker speedTracker;
    private final ProfilingRuns profilingRuns;
    final EngineOrderFactory engineOrders;
    final EngineOutbox outbox = new EngineOutbox();
    private final EngineEventHandler engineEventHandler;
    private final StartDeadlines startDeadlines;
    private final TrialTimes trialTimes;
    private final PreemptionEffects preemptionEffects;
    /** Pending jobs that can never start, with the reason; cancelled in the first cycle. */
    private final Map<Long, String> doomedJobs;

    private final List<LiveJob> rewrittenJobs = new ArrayList<>();

    private final RecordedState recorded;
    private final InventoryHandler inventory;

    private long wakeAtMillis = Plan.NEVER;
    private boolean firstStepPending = true;
    private boolean clusterJustChanged;

    /** What the loop knows besides the history: who decides, and the groups of users. */
    record LoopKnowledge(HistoryWriter.DecisionSource decidedBy, UserGroups userGroups) {}

    /** Restores the state from the snapshot, the history entries after it, and the rows of the live jobs. */
    SchedulingCycle(
            Scheduler scheduler,
            RemainingTimeEstimator estimator,
            RecordedState recorded,
            Store.StoreReader reader,
            ProgressReports reports,
            LoopSettings settings,
            ProfileService profiles,
            LoopKnowledge known) {
        RecoveredState recovery = recorded.stored();
        this.scheduler = scheduler;
        this.recorded = recorded;
        this.occupancy = new GpuOccupancy(this::topology, scheduler.gpuUse());
        this.codec = new HistoryCodec(this::topology);
        this.estimator = estimator;
        this.reports = reports;
        this.profiles = profiles;
        this.estimateTracker = new EstimateTracker(scheduler, estimator);
        this.speedTracker = new SpeedTracker(scheduler, liveJobs, reports, profiles);
        rebuildOrExplain(recorded);
        restoreJobs(recovery.liveJobs());
        for (AttemptRow row : recovery.liveAttempts()) {
            LiveJob job = liveJobs.find(row.jobId());
            if (job != null && job.state().holdsGpus()) {
                Allocation held = Objects.requireNonNull(requireJob(job.id).allocation());
                LiveAttempt run = new LiveAttempt(row, held);
                run.observed = row.measurements().isEmpty()
                        ? null
                        : codec.json().readStored(row.measurements(), AttemptMeasurements.class);
                job.liveAttempt = run;
                speedTracker.restore(run, held);
                reports.beginAttempt(job.id, job.attempt(), SecretMask.of(job.spec));
            } else if (job != null && !row.measurements().isEmpty()) {
                reports.recordRemaining(job.id, codec.json().readStored(row.measurements(), AttemptMeasurements.class));
            }
        }
        this.doomedJobs = findDoomedJobs(reader);
        if (!known.decidedBy.isShadow()) {
            liveJobs.all().forEach(this::doomIfShadow);
        }
        this.historyWriter = new HistoryWriter(
                liveJobs, scheduler, reports, speedTracker, codec, known.decidedBy, recovery.nextSeq());
        this.memoryReservations = new MemoryReservations(scheduler, profiles);
        this.profilingRuns = new ProfilingRuns(scheduler, liveJobs, profiles, estimator, codec);
        this.engineOrders = new EngineOrderFactory(scheduler, liveJobs, profiles);
        this.startDeadlines = new StartDeadlines(Capabilities.START_TIMEOUT_MILLIS);
        this.inventory = new InventoryHandler(scheduler, outbox, recorded.found(), settings.nodeLossMillis());
        this.preemptionEffects = new PreemptionEffects(scheduler);
        this.engineEventHandler = new EngineEventHandler(outbox, engineOrders, liveJobs, startDeadlines, profiles);
        engineOrders.openOrders().forEach(outbox::add);
        engineOrders.unconfirmedStarts().forEach(run -> startDeadlines.begin(run.jobId, run.attempt, 0));
        QueueAdmission queueAdmission = new QueueAdmission(
                () -> scheduler.view().queueRules(),
                liveJobs,
                known.userGroups,
                !settings.limits().unknownQueues());
        this.trialTimes = new TrialTimes(scheduler, liveJobs, queueAdmission);
        this.requestHandler = new RequestHandler(
                liveJobs, scheduler, reader, settings, memoryReservations, queueAdmission, recovery.nextJobId());
    }

    private void rebuildOrExplain(RecordedState recorded) {
        try {
            rebuild(recorded);
        } catch (HistoryFormat.NewerFormatException e) {
            throw e; // other GPUs would not help
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the history cannot be continued on this cluster ("
                            + Count.of(topology().gpuCount(), "GPU") + "): "
                            + e.getMessage()
                            + ". Start the daemon with the GPUs it had before; they may change after a clean stop"
                            + " while no job is on them.",
                    e);
        }
    }

    private void rebuild(RecordedState recorded) {
        recorded.snapshot().ifPresent(scheduler::restore);
        for (HistoryEntry entry : recorded.stored().entries()) {
            codec.decode(entry).ifPresent(record -> scheduler.replay(entry.atMillis(), record));
        }
    }

    /**
     * Takes from the rows what only they have: what was submitted, and sums over the history. The cluster state says the
     * rest; a row that differs from it is written again.
     */
    private void restoreJobs(List<JobRow> rows) {
        Map<Long, JobRow> byId = new LinkedHashMap<>();
        rows.forEach(row -> byId.put(row.id(), row));
        for (JobView view : scheduler.jobs()) {
            JobRow row = byId.remove(view.id());
            if (row == null) {
                throw new IllegalStateException("the history has job " + view.id() + " as " + view.state()
                        + ", but its row says that it has ended: the store was changed by another program");
            }
            LiveJob job = new LiveJob(row, profiles.fingerprints, view);
            liveJobs.add(job);
            liveJobs.refresh(job);
            if (!job.row().equals(row)) {
                LOG.warn("job {}: its row differed from the history and is written again", job.id);
                rewrittenJobs.add(job);
            }
        }
        if (!byId.isEmpty()) {
            throw new IllegalStateException("the job table has live jobs that the history has not: " + byId.keySet()
                    + ": the store was changed by another program");
        }
    }

    public Topology topology() {
        return scheduler.view().topology();
    }

    private JobView requireJob(long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    /** Runs one cycle: handles the contents of the inbox, then decides once. */
    CycleOutput run(long nowMillis, Inbox.Contents contents) {
        CycleOutput output = new CycleOutput(nowMillis, contents.requests());
        EngineEvents engineEvents = EngineEvents.of(contents.engineEvents());
        changeCluster(contents.engineEvents(), output);
        if (firstStepPending) {
            output.changedJobs.addAll(rewrittenJobs);
            cancelDoomedJobs(output);
        }
        for (EngineEvent.MeasurementsReported measured : engineEvents.measurements()) {
            output.timeLearning(() -> profilingRuns.accept(measured, engineEvents.hasStartOf(measured), output));
        }
        // Measurements are written before the ends of attempts, which replace them: recovery learns in the same order.
        int written = output.extraEntries.size();
        output.extraEntries.forEach(extraEntry -> historyWriter.write(extraEntry, output));
        boolean couldDecide = outbox.isReachable();
        output.nextJobId = requestHandler.nextJobId();
        engineEventHandler.handle(contents.engineEvents(), output);
        inventory.handle(contents.engineEvents(), output).forEach(lost -> accept(lost, output));
        engineEvents.changes().forEach(change -> accept(change, output));
        output.timeLearning(() -> {
            profilingRuns.expire(nowMillis);
            profiles.updateJobs(scheduler, liveJobs, output);
            speedTracker.check(output);
        });
        trialTimes.check(output);
        for (LoopRequest request : contents.requests()) {
            requestHandler.handle(request, output, () -> runScheduler(output));
        }
        boolean canDecideAgain = clusterJustChanged || (outbox.isReachable() && !couldDecide);
        if (output.hasEvents()
                || nowMillis >= wakeAtMillis
                || firstStepPending
                || engineEvents.hasProgress()
                || canDecideAgain) {
            runScheduler(output);
        }
        for (EngineOrder order : output.orders) {
            outbox.add(order);
            if (order.type() == EngineOrder.Type.START) {
                startDeadlines.begin(order.jobId(), order.attempt(), nowMillis);
            }
        }
        output.timeLearning(() -> estimateTracker.estimateDue(nowMillis));
        for (CycleOutput.ExtraEntry extraEntry : output.extraEntries.subList(written, output.extraEntries.size())) {
            historyWriter.write(extraEntry, output);
        }
        output.updatedKeys.forEach(key -> output.profileRows.add(profiles.profileStore.row(key, lastSeq())));
        return output;
    }

    /**
     * Pending jobs whose dependency can no longer be met. The scheduler takes the dependency on an ended job as met; after
     * a crash between the end of that job and the cancellation of its dependents only the store has its final state.
     */
    private Map<Long, String> findDoomedJobs(Store.StoreReader reader) {
        Map<Long, Optional<JobState>> ends = new HashMap<>();
        Map<Long, String> found = new LinkedHashMap<>();
        for (JobView job : scheduler.jobs()) {
            for (Dependency after :
                    job.state() == JobState.PENDING ? job.job().dependencies() : List.<Dependency>of()) {
                if (liveJobs.find(after.jobId()) == null) {
                    ends.computeIfAbsent(after.jobId(), id -> reader.job(id).map(JobRow::state))
                            .filter(end -> !after.condition().isMetBy(end == JobState.COMPLETED))
                            .ifPresent(end -> found.putIfAbsent(
                                    job.id(),
                                    "job " + after.jobId() + " has ended as " + end + "; this one waited for its "
                                            + after.condition().name().toLowerCase(Locale.ROOT)));
                }
            }
        }
        return found;
    }

    /** What was only observed is never started for real. */
    private void doomIfShadow(LiveJob job) {
        String observed = ShadowSpec.observed(job.spec);
        if (!observed.isEmpty()) {
            doomedJobs.put(job.id, "it stood for job " + observed + " of another scheduler, in shadow mode");
        }
    }

    private void cancelDoomedJobs(CycleOutput output) {
        doomedJobs.forEach((id, why) -> {
            Objects.requireNonNull(liveJobs.find(id)).detail = why;
            output.addEvent(new Event.CancelRequested(id));
        });
    }

    private void accept(EngineEvent.StateChanged update, CycleOutput output) {
        Event event = update.event();
        switch (event.type()) {
            case ATTEMPT_ENDED -> {
                Event.AttemptEnded ended = (Event.AttemptEnded) event;
                LiveJob job = liveJobs.find(ended.jobId());
                if (job != null && job.attempt() == ended.attempt()) {
                    Event.AttemptEnded left = engineEventHandler.settleAbortedStart(ended, job, output);
                    if (left != null) {
                        accept(left, update, job, output);
                    }
                } else {
                    output.addEvent(event);
                }
            }
            case SUBMITTED,
                    CANCEL_REQUESTED,
                    HOLD_REQUESTED,
                    RELEASE_REQUESTED,
                    SUSPEND_REQUESTED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RUNNING,
                    SPEED_CHANGED,
                    PROFILED,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_LOST,
                    NODE_DOWN,
                    NODE_UP,
                    NODE_DRAINED,
                    NODE_UNDRAINED,
                    GPU_DOWN,
                    GPU_UP,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    NODE_UNREACHABLE,
                    NODE_REACHABLE,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED -> output.addEvent(event);
        }
    }

    /** Accepts the end of the current attempt of a job. */
    private void accept(Event.AttemptEnded reported, EngineEvent.StateChanged update, LiveJob job, CycleOutput output) {
        LiveAttempt run = job.liveAttempt;
        boolean onGpus = run != null && job.state().holdsGpus();
        Event.AttemptEnded ended =
                run != null && onGpus ? speedTracker.correctUsage(reported, run, output.nowMillis) : reported;
        EngineEvent.AttemptExit exit = update.exit();
        if (run != null && onGpus && exit != null && ended.outcome() == Outcome.OOM) {
            exit = memoryReservations.handleOutOfMemory(ended, exit, job, run, output);
        } else {
            output.addEvent(ended);
        }
        preemptionEffects.apply(ended, job, output);
        if (exit != null) {
            output.exits.put(job.id, exit.withDetail(SecretMask.of(job.spec).apply(exit.detail())));
        }
        if (run != null && onGpus) {
            output.timeLearning(() -> {
                learn(ended, job, run, speedTracker.withCoRuns(run, update.measurements()), output);
                profilingRuns.endRun(job);
                if (ended.outcome() == Outcome.PREEMPTED || ended.outcome() == Outcome.LOST) {
                    profiles.updateRequeued(job, requireJob(job.id), output);
                }
            });
        }
    }

    private void learn(
            Event.AttemptEnded ended, LiveJob job, LiveAttempt run, AttemptMeasurements measured, CycleOutput output) {
        if (output.profileUpdates.containsKey(job.id)) {
            return; // reported twice, it is still one attempt
        }
        if (ended.outcome() == Outcome.OOM) {
            profiles.markStale(job.programKey, liveJobs);
        }
        int tooLittle = output.insufficientMib.getOrDefault(job.id, -1);
        if (measured.isEmpty() && tooLittle < 0) {
            return;
        }
        if (!measured.isEmpty()) {
            if (ended.outcome() != Outcome.COMPLETED) {
                reports.recordRemaining(job.id, measured); // before the next decision
            }
            output.measurements.put(job.id, measured);
            output.jobClasses.put(job.id, job.spec.jobClass().label());
        }
        ProfileKey key = profiles.keyOf(job.programKey, run.allocation);
        ProfileUpdate profileUpdate = new ProfileUpdate(
                key, MemoryReservations.unusableMetrics(ended, run, measured), tooLittle, run.observed);
        output.profileUpdates.put(job.id, profileUpdate);
        profiles.learn(measured, profileUpdate, output);
        profiles.markNeighboursStale(measured, liveJobs);
    }

    private void runScheduler(CycleOutput output) {
        firstStepPending = false;
        Decision decision = outbox.isReachable()
                ? scheduler.runCycle(output.nowMillis, output.takeEvents())
                : scheduler.applyEvents(output.nowMillis, output.takeEvents());
        wakeAtMillis = decision.wakeAtMillis() <= output.nowMillis ? output.nowMillis + 1 : decision.wakeAtMillis();
        publish(decision, output);
    }

    /** First of all: what follows in this cycle is about the cluster as it is now. */
    private void changeCluster(List<EngineEvent> events, CycleOutput output) {
        if (firstStepPending && recorded.hasChanged()) {
            Event found = new Event.ClusterChanged(recorded.now());
            publish(scheduler.applyEvents(output.nowMillis, List.of(found)), output);
        }
        List<Event> later = inventory.changes(events);
        if (!later.isEmpty()) {
            publish(scheduler.applyEvents(output.nowMillis, later), output);
        }
        clusterJustChanged = !later.isEmpty();
    }

    private void publish(Decision decision, CycleOutput output) {
        for (HistoryRecord record : decision.records()) {
            historyWriter.write(record, output);
            if (record instanceof HistoryRecord.Submitted submitted) {
                recentArrivals.add(submitted.job(), output.nowMillis);
            }
        }
        historyWriter.finishDecision(decision.records(), output);
        output.timeLearning(() -> decision.records().forEach(record -> {
            estimateTracker.accept(record, output);
            profilingRuns.read(output.nowMillis, record);
            trialTimes.read(record);
        }));
        for (Order order : decision.orders()) {
            output.orders.add(engineOrders.of(order));
        }
    }

    /** The engine is about to be opened: until it says that it can be reached, nothing is decided. */
    void openEngine(Capabilities capabilities, long nowMillis) {
        outbox.open(nowMillis);
        startDeadlines.allow(capabilities.startTimeoutMillis());
    }

    /** What keeps the orders to this attempt from being accepted; empty for nothing. */
    public String orderProblem(LiveJob job) {
        String aborted = job.liveAttempt == null ? "" : job.liveAttempt.startAbort();
        return aborted.isEmpty() ? outbox.describe(job.id, job.attempt()) : aborted + "; it is cancelled there";
    }

    /** Why nothing can be decided now, null when the engine can be reached. */
    public @Nullable String engineProblem() {
        return outbox.isReachable() ? null : outbox.problem().isEmpty() ? "it was just opened" : outbox.problem();
    }

    /** The job that this spec would become if it were submitted now. */
    public Job hypotheticalJob(Actor actor, JobSpec spec) {
        return requestHandler.hypotheticalJob(actor, spec, new CycleOutput(0, List.of()));
    }

    /** Whether this job is a profiling run. */
    public boolean isProfilingRun(LiveJob job) {
        return job.state().holdsGpus()
                && !requireJob(job.id).job().profileFirst().isNone();
    }

    long wakeAtMillis() {
        return firstStepPending || profiles.hasStaleJobs()
                ? 0
                : Math.min(
                        Math.min(wakeAtMillis, estimateTracker.nextMillis()),
                        Math.min(
                                Math.min(speedTracker.nextMillis(), trialTimes.nextMillis()),
                                Math.min(profilingRuns.nextMillis(), engineMillis())));
    }

    private long engineMillis() {
        long orders = Math.min(outbox.nextMillis(), inventory.nextMillis());
        return outbox.isReachable() ? Math.min(orders, startDeadlines.nextMillis()) : orders;
    }

    long lastSeq() {
        return historyWriter.lastSeq();
    }

    String encodeSnapshot() {
        return SnapshotCodec.encode(scheduler.snapshot());
    }
}
