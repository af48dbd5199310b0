package dev.fermata.live.service;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RemainingTime;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.learning.AttemptProgress;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.prediction.StartPredictor;
import dev.fermata.live.profile.CoRunStore;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.NodeState;
import dev.fermata.live.state.QueueState;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The service of a scheduler loop. It checks requests on the caller's thread, passes them to the loop, and reads
 * published state without it.
 */
public final class DefaultSchedulerService implements SchedulerService {
    private final SchedulerLoop loop;
    private final Store.StoreReader reader;
    private final PredictionService predictions;
    private final DryRun dryRun;

    /** A service without start prediction. */
    public DefaultSchedulerService(SchedulerLoop loop) {
        this(loop, null);
    }

    /** @param predictor predicts the starts of pending jobs; null for no predictions */
    public DefaultSchedulerService(SchedulerLoop loop, @Nullable StartPredictor predictor) {
        this.loop = loop;
        this.reader = loop.storeReader();
        this.predictions = new PredictionService(loop, this, predictor);
        this.dryRun = new DryRun(loop, predictions);
        loop.addListener(predictions);
    }

    @Override
    public CompletableFuture<List<Long>> submit(Actor actor, List<JobSpec> jobs, @Nullable String key) {
        CompletableFuture<List<Long>> answer = new CompletableFuture<>();
        int max = loop.settings.maxJobsPerSubmission();
        if (jobs.isEmpty() || jobs.size() > max) {
            return rejected(answer, Category.INVALID, jobs.size() + " jobs in one submission; it takes 1 to " + max);
        }
        for (JobSpec spec : jobs) {
            String rejection = rejectionReason(spec, actor.user());
            if (rejection != null) {
                return rejected(answer, Category.INVALID, rejection);
            }
        }
        loop.loadGroups(actor.user());
        String digest = key == null ? "" : digest(jobs);
        return enqueue(new LoopRequest.SubmitJobs(actor, List.copyOf(jobs), key, digest, answer), answer);
    }

    private @Nullable String rejectionReason(JobSpec spec, String user) {
        String options = spec.engine()
                .rejectionReason(loop.engine.name(), loop.engine.capabilities().options());
        return options != null ? options : loop.engine.rejectionReason(spec, user);
    }

    private static String digest(List<JobSpec> jobs) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (JobSpec job : jobs) {
                sha.update(SpecJson.write(job).getBytes(StandardCharsets.UTF_8));
                sha.update((byte) '\n');
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public CompletableFuture<DryRunResult> dryRun(Actor actor, JobSpec job) {
        String rejection = rejectionReason(job, actor.user());
        if (rejection != null) {
            return rejected(new CompletableFuture<>(), Category.INVALID, rejection);
        }
        loop.loadGroups(actor.user());
        return query(() -> dryRun.prepare(actor, job)).thenCompose(dryRun::evaluate);
    }

    @Override
    public CompletableFuture<Explanation> explain(long id) {
        try {
            Optional<JobRow> row = reader.job(id);
            if (row.isEmpty()) {
                return rejected(new CompletableFuture<>(), Category.NOT_FOUND, "there is no job " + id);
            }
            return row.get().state().isFinal()
                    ? CompletableFuture.completedFuture(Explainer.explainEnded(row.get()))
                    : query(() -> explainLive(id));
        } catch (StoreException e) {
            return rejected(
                    new CompletableFuture<>(), Category.UNAVAILABLE, "the store cannot be read: " + e.getMessage());
        }
    }

    @Override
    public CompletableFuture<Map<Long, StartPrediction>> predictedStarts(Set<Long> jobs) {
        return predictions.predictedStarts(jobs);
    }

    private static @Nullable PendingReason pendingReason(SchedulingCycle cycle, LiveJob job) {
        String engineProblem = cycle.engineProblem();
        return engineProblem == null || job.isHeldByUser()
                ? cycle.scheduler.explain(job.id)
                : new PendingReason.EngineUnreachable(job.id, engineProblem);
    }

    private Explanation explainEnded(long id) {
        try {
            return Explainer.explainEnded(reader.job(id)
                    .orElseThrow(() -> new RequestRejectedException(Category.NOT_FOUND, "there is no job " + id)));
        } catch (StoreException e) {
            throw new RequestRejectedException(Category.UNAVAILABLE, "the store cannot be read: " + e.getMessage());
        }
    }

    private Explanation explainLive(long id) {
        SchedulingCycle cycle = loop.cycle();
        LiveJob job = cycle.liveJobs.find(id);
        if (job == null) { // it ended since it was looked up
            return explainEnded(id);
        }
        long now = loop.nowMillis();
        PendingReason pendingReason = job.state() == JobState.PENDING ? pendingReason(cycle, job) : null;
        if (pendingReason != null) {
            JobView view = cycle.scheduler.job(id);
            Explanation why = Explainer.explainPending(
                    job.row(),
                    pendingReason,
                    view == null
                            ? List.of()
                            : new BlockingJobs(cycle, cycle.topology(), now).of(job, view, pendingReason),
                    cycle.scheduler.orderChoice(),
                    cycle.liveJobs.queuePosition(job),
                    now);
            return view == null
                    ? why
                    : Explainer.withPauseCost(
                            Explainer.withOutages(
                                    why, pendingReason.code(), cycle.occupancy.outages(view.eligibleTypes())),
                            view,
                            now);
        }
        long beneficiary = job.liveAttempt == null ? -1 : job.liveAttempt.beneficiary;
        JobView view = cycle.scheduler.job(id);
        RemainingTime remaining = view != null && job.state() == JobState.RUNNING
                ? cycle.estimator.remaining(view, now).atSpeed(view.speedMicro())
                : null;
        Explanation where = Explainer.withOrderProblem(
                Explainer.explainOnGpus(
                        job.row(), progress(id), remaining, beneficiary, cycle.isProfilingRun(job), now),
                cycle.orderProblem(job));
        return view == null ? where : Explainer.withPauseCost(where, view, now);
    }

    @Override
    public CompletableFuture<Void> cancel(Actor actor, long job) {
        return requestForJob(actor, LoopRequest.JobAction.CANCEL, job);
    }

    @Override
    public CompletableFuture<Void> hold(Actor actor, long job) {
        return requestForJob(actor, LoopRequest.JobAction.HOLD, job);
    }

    @Override
    public CompletableFuture<Void> release(Actor actor, long job) {
        return requestForJob(actor, LoopRequest.JobAction.RELEASE, job);
    }

    @Override
    public CompletableFuture<Void> suspend(Actor actor, long job) {
        return requestForJob(actor, LoopRequest.JobAction.SUSPEND, job);
    }

    @Override
    public CompletableFuture<Void> resume(Actor actor, long job) {
        return requestForJob(actor, LoopRequest.JobAction.RESUME, job);
    }

    private CompletableFuture<Void> requestForJob(Actor actor, LoopRequest.JobAction action, long job) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return enqueue(new LoopRequest.JobRequest(actor, action, job, answer), answer);
    }

    @Override
    public CompletableFuture<Void> update(Actor actor, long job, JobPatch patch) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        loop.loadGroups(actor.user());
        return enqueue(new LoopRequest.UpdateJob(actor, job, patch, answer), answer);
    }

    @Override
    public CompletableFuture<Void> drain(Actor actor, int node, boolean drained, String reason) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return enqueue(new LoopRequest.DrainNode(actor, node, drained, reason, answer), answer);
    }

    @Override
    public CompletableFuture<Void> setQueues(Actor actor, List<QueueRule> rules) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return enqueue(new LoopRequest.SetQueues(actor, List.copyOf(rules), answer), answer);
    }

    @Override
    public CompletableFuture<Map<ProfileKey, ProfileSamples>> profiles() {
        return query(() -> loop.cycle().profiles.profileStore.all());
    }

    @Override
    public CompletableFuture<CoRunStore> coRuns() {
        return query(() -> loop.cycle().profiles.coRuns);
    }

    @Override
    public CompletableFuture<Void> updateProfiles(
            Actor actor, String action, Map<ProfileKey, UnaryOperator<ProfileSamples>> changes) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return enqueue(new LoopRequest.UpdateProfiles(actor, action, Map.copyOf(changes), answer), answer);
    }

    @Override
    public void recordAudit(Actor actor, String action, String target, String result) {
        loop.inbox.offer(new LoopRequest.RecordAudit(actor, action, target, result, new CompletableFuture<>()));
    }

    @Override
    public @Nullable String userRejectionReason(String user) {
        return loop.engine.userRejectionReason(user);
    }

    @Override
    public boolean separatesAccounts() {
        return loop.engine.separatesAccounts();
    }

    @Override
    public List<QueueState> queues() {
        return loop.status().queues();
    }

    @Override
    public List<NodeState> nodes() {
        return loop.status().nodes();
    }

    @Override
    public Topology topology() {
        return loop.status().topology();
    }

    @Override
    public List<GpuState> gpus() {
        return loop.status().gpus();
    }

    @Override
    public @Nullable AttemptProgress progress(long job) {
        return loop.reports.progress(job);
    }

    @Override
    public HealthStatus health() {
        return loop.health.status();
    }

    @Override
    public AutoCloseable subscribe(Consumer<HistoryEntry> listener) {
        loop.listeners.add(listener);
        return () -> loop.listeners.remove(listener);
    }

    /** Runs a query on the scheduler loop's thread after a cycle. */
    <T> CompletableFuture<T> query(Supplier<T> query) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        return enqueue(new LoopRequest.LoopQuery<>(query, answer), answer);
    }

    /** Passes a request to a leading loop. A loop that stops rejects what it still has in its inbox. */
    private <T> CompletableFuture<T> enqueue(LoopRequest request, CompletableFuture<T> answer) {
        DaemonPhase phase = loop.health.phase();
        if (!phase.leads()) {
            return rejected(answer, Category.UNAVAILABLE, unavailableMessage(phase));
        }
        if (!loop.inbox.offer(request)) {
            return rejected(
                    answer,
                    Category.BUSY,
                    "too many requests wait already (" + loop.settings.maxQueuedRequests()
                            + "); try again in a moment");
        }
        if (loop.health.phase() == DaemonPhase.STOPPED) {
            return rejected(
                    answer,
                    Category.UNAVAILABLE,
                    unavailableMessage(DaemonPhase.STOPPED)); // the loop may have stopped before it saw the request
        }
        return answer;
    }

    private String unavailableMessage(DaemonPhase phase) {
        String problem = loop.health.problem();
        return switch (phase) {
            case RECOVERING -> "the daemon is still recovering its history; try again in a moment";
            case STANDBY -> "this daemon is a standby; send the request to the leader";
            case DEGRADED -> "the store cannot be written at the moment: " + problem;
            default -> problem.isEmpty() ? "the daemon has stopped" : "the daemon has stopped: " + problem;
        };
    }

    private static <T> CompletableFuture<T> rejected(CompletableFuture<T> answer, Category category, String message) {
        answer.completeExceptionally(new RequestRejectedException(category, message));
        return answer;
    }
}
