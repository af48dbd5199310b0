package dev.fermata.live.conductor;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.PairBook;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Line;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the doors may ask of the daemon. Answers to changes come after they are durable. A request that cannot be granted ends its
 * future with {@link Refusal}. Questions about stored jobs go to the store's reader, not here.
 */
public interface Desk {
    /** The ids in the order of the specs; a key seen before gives the ids of that time. */
    CompletableFuture<List<Long>> submit(Actor who, List<JobSpec> jobs, @Nullable String key);

    /** What would come of it now. Changes nothing. */
    CompletableFuture<Prospect> dryRun(Actor who, JobSpec job);

    CompletableFuture<Explanation> explain(long job);

    /**
     * When these jobs are expected to start, by id, as far as anybody can tell; those that do not wait are missing, others may be
     * in it. May take a while, but not the conductor's time.
     */
    CompletableFuture<Map<Long, ExpectedStart>> expectedStarts(Set<Long> jobs);

    CompletableFuture<Void> cancel(Actor who, long job);

    CompletableFuture<Void> hold(Actor who, long job);

    CompletableFuture<Void> release(Actor who, long job);

    CompletableFuture<Void> update(Actor who, long job, JobPatch patch);

    /** No new starts on the node; what runs there goes on. */
    CompletableFuture<Void> drain(Actor who, int node, boolean drained);

    CompletableFuture<Void> setQueues(Actor who, List<QueueRule> rules);

    /** What is known of each kind of job. */
    CompletableFuture<Map<Kind, KindNotes>> profiles();

    /** What is known of them beside each other; for reading only. */
    CompletableFuture<PairBook> pairs();

    /**
     * Something else is known of these kinds of jobs, because a person says so.
     *
     * @param action as the audit trail calls it
     */
    CompletableFuture<Void> retell(Actor who, String action, Map<Kind, UnaryOperator<KindNotes>> changes);

    /**
     * For the audit trail: somebody asked for this at a door, and this came of it. Changes that were granted here are in the trail
     * already, made durable together with the change; this is for the rest. Returns at once; lost if the daemon dies at once.
     */
    void note(Actor who, String action, String target, String result);

    /** Why every job of this user would be refused, or null when it would not. */
    @Nullable
    String refusesJobsOf(String user);

    /** The rules in force, and what each queue uses and waits for. */
    List<QueueState> queues();

    Topology topology();

    /** Every GPU and who is on it. */
    List<GpuState> gpus();

    /** Last report of a job on GPUs, or null. */
    @Nullable
    Progress progress(long job);

    /** How the daemon is. Never blocks, and works while the conductor is stuck. */
    Pulse pulse();

    /** Hears every line after it is durable, in order, on the conductor's thread: must return at once. */
    AutoCloseable follow(Consumer<Line> listener);
}
