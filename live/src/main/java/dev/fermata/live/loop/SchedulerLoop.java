package dev.fermata.live.loop;

import dev.fermata.core.contract.Count;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.EstimateCalibration;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.HistoryFormat;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.health.HealthRecorder;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.health.Watchdog;
import dev.fermata.live.learning.EstimateTracker;
import dev.fermata.live.learning.EstimatorWarmUp;
import dev.fermata.live.learning.ProfileService;
import dev.fermata.live.learning.ProgressReports;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.state.GpuOccupancy;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.QueueState;
import dev.fermata.live.store.Batch;
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
 * <p>A cycle drains the inbox, reads the clock once, learns and decides, and commits the history entries in one
 * transaction. Only then it issues orders, answers and notifications, so a crash never undoes what was announced. When
 * the store fails, the loop retries the same transaction; meanwhile it rejects requests and leaves engine events queued.
 *
 * <p>{@link #start} runs the loop on its own thread. Tests may call {@link #lead} and {@link #runCycle} instead.
 */
public final class SchedulerLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerLoop.class);
    private static final long CLAIM_MILLIS = 10_000;

    public final ExecutionEngine engine;
    public final LoopSettings settings;
    public final PolicySpec policy;
    public final Inbox inbox;
    public final ProgressReports reports = new ProgressReports();
    public final HealthRecorder health;
    public final List<Consumer<HistoryEntry>> listeners = new CopyOnWriteArrayList<>();
    private final Store store;
    private final MonotonicClock clock;
    private final DaemonMetrics metrics;
    private final HistoryWriter.DecisionSource decidedBy;
    private final Watchdog watchdog;
    private final List<LoopListener> loopListeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> leadershipKnown = new CompletableFuture<>();
    private final CompletableFuture<Void> leading = new CompletableFuture<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile Topology topology;
    private volatile List<GpuState> gpus;
    private volatile List<QueueState> queues = List.of();
    private @Nullable SchedulingCycle cycle;
    private long nowMillis;
    /** Grows with every cycle that wrote a history record. */
    private volatile long changeSeq;

    private long snapshotSeq;
    /** Whether the store has every entry of the cluster state; otherwise a snapshot would be ahead of the history. */
    private boolean durable = true;

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
        this.engine = shadow ? new ShadowEngine(engine) : engine;
        this.policy = policy;
        this.settings = settings;
        this.clock = clock;
        this.decidedBy = new HistoryWriter.DecisionSource(shadow ? "shadow" : "policy", policy.text());
        this.inbox = new Inbox(settings.maxQueuedRequests());
        this.health = new HealthRecorder(shadow, inbox::size);
        this.topology = engine.topology();
        this.gpus = new GpuOccupancy(topology).gpuStates();
        this.thread = new Thread(this::run, "fermata-scheduler-loop");
        this.thread.setDaemon(true);
        this.watchdog = new Watchdog(health, thread, settings.stuckMillis());
    }

    public void addListener(LoopListener listener) {
        loopListeners.add(listener);
    }

    /** Recovers and leads on the loop's own thread. */
    public SchedulerLoop start() {
        thread.start();
        watchdog.start();
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
        if (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        watchdog.close();
        loopListeners.forEach(LoopListener::closed);
    }

    private void run() {
        try {
            if (lead()) {
                while (!closing) {
                    awaitWork();
                    runCycle(clock.read());
                }
                if (durable) {
                    saveSnapshot();
                }
            }
            health.enter(DaemonPhase.STOPPED, health.problem());
        } catch (InterruptedException e) {
            stop("the scheduler loop was interrupted", e);
        } catch (StoreException | HistoryFormat.NewerFormatException e) { // no defect: the message says it all
            LOG.error("scheduler loop stopped: {}", e.getMessage());
            health.enter(DaemonPhase.STOPPED, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            stop("the scheduler loop failed and has stopped: " + e, e);
        } finally {
            inbox.takeRequests().forEach(request -> reject(request, "the daemon has stopped"));
            ended.complete(health.problem());
            leading.cancel(false);
            leadershipKnown.complete(null);
            ready.complete(null);
        }
    }

    private void stop(String why, Throwable cause) {
        LOG.error("scheduler loop stopped: {}", why, cause);
        health.enter(DaemonPhase.STOPPED, why);
    }

    private void awaitWork() throws InterruptedException {
        long wake = cycle().wakeAtMillis();
        long millis = wake == Long.MAX_VALUE ? wake : Math.max(0, wake - clock.read());
        health.recordWait(millis);
        inbox.await(millis);
        health.recordProgress();
    }

    // ---- recovery ----

    /** Waits for the lead and recovers; false when the loop was closed before. */
    public boolean lead() {
        long begin = System.nanoTime();
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
            begin = System.nanoTime();
        }
        health.enter(DaemonPhase.RECOVERING, "");
        leadershipKnown.complete(null);
        recover(recovery.get());
        health.recordRecovery((System.nanoTime() - begin) / 1_000_000);
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
        long onGpus = recovery.liveJobs().stream()
                .filter(job -> job.state().holdsGpus())
                .count();
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
        RecordedState recorded = RecordedState.of(recovery);
        topology = recorded.match(engine.topology());
        ProfileService profiles =
                ProfileService.recover(store.dedicatedReader(), recovery.entries(), topology, settings.profiles());
        EstimateCalibration calibration = EstimateTracker.readCalibration(store.dedicatedReader());
        RemainingTimeEstimator estimator = new RemainingTimeEstimator(
                EstimatorWarmUp.readHistory(store.dedicatedReader(), profiles), reports, calibration);
        Scheduler scheduler = new Scheduler(
                topology, policy.create(), estimator, settings.guard(), policy.memoryGuard(), policy.mixedGangs());
        SchedulingCycle recovered = new SchedulingCycle(
                scheduler, estimator, recorded, store.dedicatedReader(), reports, settings, profiles, decidedBy);
        cycle = recovered;
        snapshotSeq = recovery.snapshotSeq();
        if (!recovery.entries().isEmpty()) {
            clock.advanceTo(
                    recovery.entries().get(recovery.entries().size() - 1).atMillis());
        }
        clock.advanceTo(scheduler.snapshot().lastRecordMillis());
        engine.open(topology, recovered.expectedAttempts(), this::accept);
        recovered.unconfirmedOrders().forEach(order -> order.issue(engine));
        publishState();
    }

    private void accept(EngineEvent event) {
        switch (event.type()) {
            case STATE_CHANGED, MEASUREMENTS_REPORTED -> inbox.add(event);
            case PROGRESS_REPORTED -> {
                if (reports.accept((EngineEvent.ProgressReported) event)) {
                    inbox.add(event);
                }
            }
        }
    }

    // ---- a cycle ----

    /** Runs one cycle; returns when the next one is due even if nothing arrives. */
    public long runCycle(long now) throws InterruptedException {
        long begin = System.nanoTime();
        nowMillis = now;
        SchedulingCycle current = cycle();
        CycleOutput output = current.run(now, inbox.drain(settings.requestsPerCycle()));
        metrics.recordDecision(System.nanoTime() - begin, output.learningNanos);
        durable = save(output);
        if (!durable) {
            return Long.MAX_VALUE;
        }
        if (!output.entries.isEmpty()) {
            publishState();
        }
        if (output.entries.size() > output.extraEntries.size()) {
            changeSeq = current.lastSeq();
        }
        health.recordCycle(current.lastSeq(), current.liveJobs.pending(), current.liveJobs.onGpus());
        publishOutput(output);
        if (output.jobsArrived && thread.isAlive()) { // tests that run cycles themselves also ask for predictions
            loopListeners.forEach(LoopListener::jobsArrived);
        }
        output.measurements.forEach((job, observed) -> metrics.recordAttemptCosts(
                output.jobClasses.getOrDefault(job, ""), observed.preemptMillis(), observed.loadMillis()));
        metrics.recordCycle(System.nanoTime() - begin);
        current.scheduler.prepare();
        if (current.lastSeq() - snapshotSeq >= settings.snapshotEveryEntries()) {
            saveSnapshot();
        }
        return current.wakeAtMillis();
    }

    /** Commits the batch, with retries and exponential backoff; false when the loop was closed before it succeeded. */
    private boolean save(CycleOutput output) throws InterruptedException {
        Batch batch = output.batch();
        long wait = settings.backoffMillis();
        while (!batch.isEmpty()) {
            try {
                long begin = System.nanoTime();
                store.append(batch);
                metrics.recordAppend(System.nanoTime() - begin, batch.entries().size());
                break;
            } catch (StoreException e) {
                if (!e.isRetryable()) {
                    output.rejectRequests(
                            new RequestRejectedException(Category.UNAVAILABLE, String.valueOf(e.getMessage())));
                    throw e;
                }
                if (health.phase() != DaemonPhase.DEGRADED) {
                    LOG.error("store write failed, retrying until it succeeds: {}", e.getMessage());
                }
                health.enter(DaemonPhase.DEGRADED, String.valueOf(e.getMessage()));
            }
            if (!rejectFor(wait)) {
                output.rejectRequests(new RequestRejectedException(
                        Category.UNAVAILABLE, "the daemon was stopped before this could be made durable"));
                return false;
            }
            wait = Math.min(2 * wait, settings.maxBackoffMillis());
        }
        if (health.phase() == DaemonPhase.DEGRADED) {
            LOG.info("store write succeeded again");
            health.enter(DaemonPhase.LEADING, "");
        }
        return true;
    }

    /** Rejects requests for this long; false when the loop is to stop. Engine events stay in the inbox. */
    private boolean rejectFor(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!closing) {
            health.recordProgress();
            inbox.takeRequests()
                    .forEach(request -> reject(request, "the store cannot be written: " + health.problem()));
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return true;
            }
            inbox.awaitRequests(left);
        }
        return false;
    }

    private static void reject(LoopRequest request, String why) {
        request.answer().completeExceptionally(new RequestRejectedException(Category.UNAVAILABLE, why));
    }

    /** Issues orders, answers and notifications of a durable cycle. */
    private void publishOutput(CycleOutput output) {
        for (EngineOrder order : output.orders) {
            try {
                order.issue(engine);
            } catch (RuntimeException e) {
                LOG.error("attempt {}.{}: {} order failed", order.job(), order.attempt(), order.type(), e);
            }
        }
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

    private void publishState() {
        gpus = cycle().occupancy.gpuStates();
        queues = cycle().liveJobs.queueStates(cycle().scheduler.view().queueRules());
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

    /** A reader of the store for other threads. */
    public Store.StoreReader storeReader() {
        return store.reader();
    }

    public SchedulingCycle cycle() {
        return Objects.requireNonNull(cycle, "not recovered yet");
    }

    public long changeSeq() {
        return changeSeq;
    }

    public long nowMillis() {
        return nowMillis;
    }

    /** The cluster in the numbers of the history; before this daemon leads, in those of the engine. */
    public Topology topology() {
        return topology;
    }

    public List<GpuState> gpus() {
        return gpus;
    }

    public List<QueueState> queues() {
        return queues;
    }
}
