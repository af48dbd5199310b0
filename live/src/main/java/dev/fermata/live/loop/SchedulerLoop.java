package dev.fermata.live.loop;

import dev.fermata.core.contract.Count;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.EstimateCalibration;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.health.HealthRecorder;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.learning.EstimateTracker;
import dev.fermata.live.learning.EstimatorWarmUp;
import dev.fermata.live.learning.ProfileService;
import dev.fermata.live.learning.ProgressReports;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.shadow.ShadowEngine;
import dev.fermata.live.shadow.ShadowWorkload;
import dev.fermata.live.state.ClusterStatus;
import dev.fermata.live.store.EngineLocation;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scheduler loop of the daemon. One thread owns all state that decisions depend on; other threads send it requests
 * and engine events through the {@link Inbox}.
 *
 * <p>A cycle drains the inbox, learns and decides, and commits the history entries in one transaction. Only then it
 * issues orders, answers and notifications, so a crash never undoes what was announced. When the store fails, the loop
 * retries the same transaction; meanwhile it rejects requests and leaves engine events queued.
 *
 * <p>It is a step machine: {@link #lead} and {@link #runCycle} are given the time, return when the next step is due, and
 * never wait. {@link #start} runs it on a thread of its own.
 */
public final class SchedulerLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerLoop.class);
    private static final long CLAIM_MILLIS = 10_000;

    public final ExecutionEngine engine;
    private final EngineCalls engineCalls;
    private final @Nullable ShadowWorkload shadow;
    public final LoopSettings settings;
    public final PolicySpec policy;
    public final Inbox inbox;
    public final ProgressReports reports = new ProgressReports();
    public final HealthRecorder health;
    public final List<Consumer<HistoryEntry>> listeners = new CopyOnWriteArrayList<>();
    /** The groups of users, while queue rules name groups. */
    private final UserGroups userGroups = UserGroups.ofThisMachine();

    private final Store store;
    private final MonotonicClock clock;
    private final DaemonMetrics metrics;
    private final HistoryWriter.DecisionSource decidedBy;
    private final List<LoopListener> loopListeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> leadershipKnown = new CompletableFuture<>();
    private final CompletableFuture<Void> leading = new CompletableFuture<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private @Nullable LoopThread thread;
    private volatile boolean closing;
    private volatile ClusterStatus status;
    private @Nullable SchedulingCycle cycle;
    private long nowMillis;
    /** When the next cycle is due, as the last one left it. */
    private long cycleDueMillis;

    private long snapshotSeq;
    /** The cycle that the store does not have yet; a snapshot would be ahead of the history. */
    private @Nullable PendingCommit pendingCommit;

    public SchedulerLoop(
            Store store,
            ExecutionEngine engine,
            PolicySpec policy,
            LoopSettings settings,
            boolean shadow,
            MonotonicClock clock,
            DaemonMetrics metrics) {
        this.store = store;
        this.metrics = metrics;
        this.shadow = shadow ? new ShadowWorkload() : null;
        this.engine = this.shadow == null ? engine : new ShadowEngine(engine, this.shadow);
        this.engineCalls = new EngineCalls(this.engine, this::accept);
        this.policy = policy;
        this.settings = settings;
        this.clock = clock;
        this.decidedBy = HistoryWriter.DecisionSource.of(shadow, policy.text());
        this.inbox = new Inbox(settings.maxQueuedRequests());
        this.health = new HealthRecorder(shadow, inbox::size, clock::nanos);
        this.status = ClusterStatus.idle(engine.topology());
    }

    public void addListener(LoopListener listener) {
        loopListeners.add(listener);
    }

    /** Recovers and leads on the loop's own thread. */
    public SchedulerLoop start() {
        engineCalls.useOwnThread();
        LoopThread own = new LoopThread(this, clock);
        thread = own;
        own.start();
        return this;
    }

    /** Notices of the engine for operators, one sentence each. */
    public List<String> engineNotices() {
        return engine.notices();
    }

    /** Complete when it is known whether this daemon leads or stands by for another one. */
    public CompletableFuture<Void> leadershipKnown() {
        return leadershipKnown;
    }

    /** Complete when this daemon leads; cancelled when it stops before. */
    public CompletableFuture<Void> leading() {
        return leading;
    }

    /** Complete when this daemon leads, stands by or has stopped. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /** Complete when the loop has stopped: empty after {@link #close}, else the problem. */
    public CompletableFuture<String> ended() {
        return ended;
    }

    /** Stops after the current cycle and saves a snapshot. Jobs continue. */
    @Override
    public void close() {
        closing = true;
        inbox.wake();
        LoopThread own = thread;
        if (own != null) {
            own.close();
        }
        engineCalls.close();
        loopListeners.forEach(LoopListener::closed);
    }

    boolean isClosing() {
        return closing;
    }

    /** The clean end, after the last cycle: rejects what is not durable, else saves a snapshot. */
    public void finish() {
        PendingCommit open = pendingCommit;
        if (open == null) {
            saveSnapshot();
        } else {
            open.output()
                    .rejectRequests(new RequestRejectedException(
                            Category.UNAVAILABLE, "the daemon was stopped before this could be made durable"));
        }
    }

    /** Enters {@code STOPPED} for good, with the problem or none, and rejects what waits. */
    public void markStopped(String problem) {
        health.enter(DaemonPhase.STOPPED, problem);
        inbox.takeRequests().forEach(request -> reject(request, "the daemon has stopped"));
        ended.complete(health.problem());
        leading.cancel(false);
        leadershipKnown.complete(null);
        ready.complete(null);
    }

    // ---- recovery ----

    /** Takes the lead and recovers; false when the store did not give it the lead. It may be called again then. */
    public boolean lead() {
        long begin = clock.nanos();
        Optional<RecoveredState> recovery = store.recover(
                () -> {
                    health.enter(DaemonPhase.STANDBY, "another daemon leads; this one takes over when it is gone");
                    leadershipKnown.complete(null);
                    ready.complete(null);
                    return !closing;
                },
                this::checkLocation);
        if (recovery.isEmpty()) {
            return false;
        }
        if (health.phase() == DaemonPhase.STANDBY) {
            begin = clock.nanos();
        }
        health.enter(DaemonPhase.RECOVERING, "");
        leadershipKnown.complete(null);
        recover(recovery.get());
        health.recordRecovery((clock.nanos() - begin) / 1_000_000);
        health.enter(DaemonPhase.LEADING, "");
        leading.complete(null);
        ready.complete(null);
        LOG.info(
                "scheduler loop leads after {} ms; live jobs: {}, history entries replayed: {}",
                health.status().recoveryMillis(),
                cycle().liveJobs.size(),
                recovery.get().entries().size());
        return true;
    }

    /** Fails if jobs hold GPUs that this engine cannot reach: a job that still runs there would be started twice. */
    private EngineLocation checkLocation(RecoveredState recovery) {
        claimEngine();
        EngineLocation there = recovery.engineLocation();
        EngineLocation here = new EngineLocation(engine.identity(), engine.describeLocation());
        long onGpus = recovery.jobsAtEngine();
        if (there.id().isEmpty() || there.id().equals(here.id()) || onGpus == 0) {
            return here;
        }
        if (settings.abandon()) {
            LOG.warn("abandoned at {}: {}; they return to the queue", there.description(), Count.of(onGpus, "job"));
            return here;
        }
        throw new StoreException(
                Count.of(onGpus, "job") + (onGpus == 1 ? " is" : " are") + " on GPUs at " + there.description()
                        + ", which this daemon (" + here.description()
                        + ") cannot see. Start it there with that data folder;"
                        + " or, once that machine is surely gone, here with --abandon, which starts them again.",
                false);
    }

    /** Claims the engine. After a takeover the previous leader may take a moment to release it. */
    private void claimEngine() {
        try {
            engine.claim(health.phase() == DaemonPhase.STANDBY ? CLAIM_MILLIS : 0);
        } catch (IllegalStateException e) {
            throw new StoreException(String.valueOf(e.getMessage()), false, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("the scheduler loop was interrupted before it could lead", false, e);
        }
    }

    private void recover(RecoveredState recovery) {
        RecordedState recorded = RecordedState.of(recovery, engine.topology());
        ProfileService profiles = ProfileService.recover(
                store.dedicatedReader(),
                recovery.entries(),
                () -> cycle == null ? recorded.now() : cycle().topology(),
                settings.profiles().withSuspend(engine.suspendCosts()));
        EstimateCalibration calibration = EstimateTracker.readCalibration(store.dedicatedReader());
        RemainingTimeEstimator estimator = new RemainingTimeEstimator(
                EstimatorWarmUp.readHistory(store.dedicatedReader(), profiles), reports, calibration);
        Scheduler scheduler = new Scheduler(
                recorded.begin(),
                policy::create,
                estimator,
                settings.guard(),
                policy.memoryGuard(),
                policy.mixedGangs());
        SchedulingCycle recovered = new SchedulingCycle(
                scheduler,
                estimator,
                recorded,
                store.dedicatedReader(),
                reports,
                settings,
                profiles,
                new SchedulingCycle.LoopKnowledge(decidedBy, userGroups));
        cycle = recovered;
        snapshotSeq = recovery.snapshotSeq();
        if (!recovery.entries().isEmpty()) {
            clock.advanceTo(
                    recovery.entries().get(recovery.entries().size() - 1).atMillis());
        }
        clock.advanceTo(scheduler.snapshot().lastRecordMillis());
        recovered.openEngine(engine.capabilities(), clock.read());
        engineCalls.open(recorded.now(), recovered.engineOrders.expectedAttempts());
        publishStatus(recorded.now(), false);
    }

    private void accept(EngineEvent event) {
        if (!(event instanceof EngineEvent.ProgressReported progress) || reports.accept(progress)) {
            inbox.add(event);
        }
    }

    // ---- a cycle ----

    /**
     * Runs one cycle, or retries the commit of the last one; returns when the next call is due even if nothing arrives. A
     * store that fails for good ends the loop with a {@link StoreException}.
     */
    public long runCycle(long now) {
        PendingCommit open = pendingCommit;
        if (open == null) {
            nowMillis = now;
            Inbox.Contents contents = takeContents(now);
            if (contents.hasOnlyQueries() && now < wakeAtMillis()) {
                contents.queries().forEach(LoopRequest.LoopQuery::run);
                return wakeAtMillis();
            }
            long begin = clock.nanos();
            CycleOutput output = cycle().run(now, contents);
            metrics.recordDecision(clock.nanos() - begin, output.learningNanos);
            open = new PendingCommit(output, output.batch(), begin, now, settings.backoffMillis());
            pendingCommit = open;
        } else {
            inbox.takeRequests()
                    .forEach(request -> reject(request, "the store cannot be written: " + health.problem()));
        }
        if (now < open.dueMillis() || !commit(open, now)) {
            return wakeAtMillis();
        }
        pendingCommit = null;
        if (health.phase() == DaemonPhase.DEGRADED) {
            LOG.info("store write succeeded again");
            health.enter(DaemonPhase.LEADING, "");
        }
        publish(open);
        cycleDueMillis = cycle().wakeAtMillis();
        return wakeAtMillis();
    }

    /** In shadow mode, with what follows from the jobs of the other scheduler. */
    private Inbox.Contents takeContents(long now) {
        Inbox.Contents contents = inbox.drain(settings.requestsPerCycle());
        return shadow == null ? contents : contents.and(shadow.step(now, contents.engineEvents(), cycle().liveJobs));
    }

    /** When the next step is due. */
    public long wakeAtMillis() {
        PendingCommit open = pendingCommit;
        if (open != null) {
            return open.dueMillis();
        }
        return shadow == null ? cycleDueMillis : Math.min(cycleDueMillis, shadow.nextMillis());
    }

    /** Whether the last cycle is not durable yet: engine events wait until it is. */
    public boolean isCommitPending() {
        return pendingCommit != null;
    }

    /** False after a failure that may pass: the same batch is due again later. */
    private boolean commit(PendingCommit open, long now) {
        if (open.batch().isEmpty()) {
            return true;
        }
        try {
            long begin = clock.nanos();
            store.append(open.batch());
            metrics.recordAppend(clock.nanos() - begin, open.batch().entries().size());
            return true;
        } catch (StoreException e) {
            if (!e.isRetryable()) {
                open.output()
                        .rejectRequests(
                                new RequestRejectedException(Category.UNAVAILABLE, String.valueOf(e.getMessage())));
                throw e;
            }
            if (health.phase() != DaemonPhase.DEGRADED) {
                LOG.error("store write failed, retrying until it succeeds: {}", e.getMessage());
            }
            health.enter(DaemonPhase.DEGRADED, String.valueOf(e.getMessage()));
            pendingCommit = open.retriedAfter(now, settings.maxBackoffMillis());
            return false;
        }
    }

    /** Publishes a durable cycle: state, orders, answers, entries. Saves a snapshot when one is due. */
    private void publish(PendingCommit durable) {
        SchedulingCycle current = cycle();
        CycleOutput output = durable.output();
        if (!output.entries.isEmpty()) {
            Topology topology = current.topology();
            if (!topology.equals(status.topology())) {
                engineCalls.clusterChanged(topology); // before the orders that use the numbers of new nodes
            }
            publishStatus(topology, output.entries.size() > output.extraEntries.size());
        }
        health.recordCycle(
                current.lastSeq(),
                current.scheduler.view().pendingJobs(),
                current.scheduler.view().runningJobs());
        publishOutput(output);
        if (output.jobsArrived && thread != null) { // without a thread of its own, nothing runs in the background
            loopListeners.forEach(LoopListener::jobsArrived);
        }
        output.engineAnswers.forEach(
                (answer, times) -> metrics.recordEngineAnswer(answer.about(), answer.result(), times));
        output.measurements.forEach((job, observed) -> metrics.recordAttemptCosts(
                output.jobClasses.getOrDefault(job, ""), observed.preemptMillis(), observed.loadMillis()));
        metrics.recordCycle(clock.nanos() - durable.beganNanos());
        if (current.outbox.isReachable()) {
            current.scheduler.prepare();
        }
        if (current.lastSeq() - snapshotSeq >= settings.snapshotEveryEntries()) {
            saveSnapshot();
        }
    }

    private static void reject(LoopRequest request, String why) {
        request.answer().completeExceptionally(new RequestRejectedException(Category.UNAVAILABLE, why));
    }

    /** Issues orders, answers and notifications of a durable cycle. */
    private void publishOutput(CycleOutput output) {
        engineCalls.submit(cycle().outbox.takeDue(nowMillis));
        health.recordEngine(cycle().outbox.problem());
        metrics.recordEngine(cycle().outbox.isReachable(), cycle().outbox.size());
        output.answers.forEach(Runnable::run);
        for (HistoryEntry entry : output.entries) {
            for (Consumer<HistoryEntry> listener : listeners) {
                try {
                    listener.accept(entry);
                } catch (RuntimeException e) {
                    LOG.warn("history listener failed at entry {}", entry.seq(), e);
                }
            }
        }
        output.queries.forEach(LoopRequest.LoopQuery::run);
    }

    private void publishStatus(Topology topology, boolean changed) {
        SchedulingCycle now = cycle();
        status = ClusterStatus.of(
                topology,
                now.occupancy,
                now.liveJobs,
                now.scheduler.view().queueRules(),
                changed ? now.lastSeq() : status.changeSeq());
    }

    private void saveSnapshot() {
        long seq = cycle().lastSeq();
        if (seq <= snapshotSeq) {
            return;
        }
        try {
            store.saveSnapshot(
                    seq, cycle().encodeSnapshot(), cycle().profiles.profileStore.unwritten(seq));
            cycle().profiles.profileStore.markWritten();
        } catch (StoreException e) {
            LOG.warn("snapshot at entry {} not saved, the next restart replays more entries: {}", seq, e.getMessage());
        }
        snapshotSeq = seq; // after a failure the next attempt waits for as many entries
    }

    // ---- for the service ----

    /** Looks up the groups of a user, on the caller's thread, if some queue rule names groups. */
    public void loadGroups(String user) {
        if (status.rulesNameGroups()) {
            userGroups.load(user);
        }
    }

    /** A reader of the store for other threads. */
    public Store.StoreReader storeReader() {
        return store.reader();
    }

    public SchedulingCycle cycle() {
        return Objects.requireNonNull(cycle, "not recovered yet");
    }

    public long nowMillis() {
        return nowMillis;
    }

    /** The cluster after the last durable cycle. */
    public ClusterStatus status() {
        return status;
    }
}
