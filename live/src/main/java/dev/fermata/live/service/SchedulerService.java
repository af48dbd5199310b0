package dev.fermata.live.service;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.learning.AttemptProgress;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.profile.CoRunStore;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.NodeState;
import dev.fermata.live.state.QueueState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The interface of the daemon for clients inside its process, such as the API. A change is answered after it is durable.
 * A rejected request completes its future with {@link RequestRejectedException}. Stored jobs are read from the store.
 */
public interface SchedulerService {
    /** The ids in the order of the specs; a repeated key returns the ids of the first submission. */
    CompletableFuture<List<Long>> submit(Actor actor, List<JobSpec> jobs, @Nullable String key);

    /** What would happen to this job now. Changes nothing. */
    CompletableFuture<DryRunResult> dryRun(Actor actor, JobSpec job);

    CompletableFuture<Explanation> explain(long job);

    /**
     * The predicted starts of these jobs by id. Jobs that are not pending are missing, others may be present. It may take
     * seconds, but does not delay the scheduler loop.
     */
    CompletableFuture<Map<Long, StartPrediction>> predictedStarts(Set<Long> jobs);

    CompletableFuture<Void> cancel(Actor actor, long job);

    CompletableFuture<Void> hold(Actor actor, long job);

    /** Suspends a running job in place until it is resumed. */
    CompletableFuture<Void> suspend(Actor actor, long job);

    /** Lets a suspended job go on as soon as its GPUs are free. */
    CompletableFuture<Void> resume(Actor actor, long job);

    CompletableFuture<Void> release(Actor actor, long job);

    CompletableFuture<Void> update(Actor actor, long job, JobPatch patch);

    /** The same without a reason. */
    default CompletableFuture<Void> drain(Actor actor, int node, boolean drained) {
        return drain(actor, node, drained, "");
    }

    /** No job starts on a drained node; running jobs continue. */
    CompletableFuture<Void> drain(Actor actor, int node, boolean drained, String reason);

    CompletableFuture<Void> setQueues(Actor actor, List<QueueRule> rules);

    /** The samples of each profile key. */
    CompletableFuture<Map<ProfileKey, ProfileSamples>> profiles();

    /** The co-run measurements, for reading only. */
    CompletableFuture<CoRunStore> coRuns();

    /**
     * Changes profiles on behalf of a person.
     *
     * @param action as the audit trail names it
     */
    CompletableFuture<Void> updateProfiles(
            Actor actor, String action, Map<ProfileKey, UnaryOperator<ProfileSamples>> changes);

    /**
     * Adds a request and its result to the audit trail. Changes granted by this service are in the trail already, durable
     * together with the change; this is for the others. It returns at once; a crash may lose the row.
     */
    void recordAudit(Actor actor, String action, String target, String result);

    /** Why every job of this user would be rejected; null when it would not. */
    @Nullable
    String userRejectionReason(String user);

    /** Whether jobs of different users run under different accounts. */
    boolean separatesAccounts();

    /** The queues with their rules and current use. */
    List<QueueState> queues();

    /** What is to be said of nodes besides their GPUs; empty before this daemon leads. */
    List<NodeState> nodes();

    Topology topology();

    /** Every GPU with its jobs. */
    List<GpuState> gpus();

    /** The last report of a job on GPUs, or null. */
    @Nullable
    AttemptProgress progress(long job);

    /** The health of the daemon. Never blocks, even while the scheduler loop is stuck. */
    HealthStatus health();

    /** The listener receives every durable history entry in order, on the scheduler loop's thread: it must return at once. */
    AutoCloseable subscribe(Consumer<HistoryEntry> listener);
}
