package dev.fermata.live.engine;

import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs. Every call of an open engine returns at once: work happens on the engine's own threads, and results are {@link
 * EngineEvent}s. An engine never makes a scheduling decision.
 */
public interface ExecutionEngine extends AutoCloseable {
    /** {@code local}, {@code slurm}, {@code kubernetes}. */
    String name();

    /**
     * Identifies the location at which this engine runs jobs: equal as long as the engine can find the attempts it started. A
     * history with running jobs continues only at their location.
     */
    default String identity() {
        return name();
    }

    /** The location for messages, such as a folder and a machine. */
    default String describeLocation() {
        return "the engine " + name();
    }

    /**
     * Claims the location for this daemon until {@link #close}. It is called before the leadership is confirmed; after {@code
     * timeoutMillis} it throws while another daemon has the location.
     */
    default void claim(long timeoutMillis) throws InterruptedException {}

    /**
     * The cluster as the engine finds it when it is opened, with a stable id for each node and GPU. Its numbers are those of a
     * new history: {@link #open} says which ones hold. Later it reports changes: {@link EngineEvent.NodeReported}, {@link
     * EngineEvent.NodeGone}, {@link EngineEvent.NodeConditionReported}, {@link EngineEvent.ForeignLoadReported}.
     */
    Topology topology();

    /** The output of attempts. */
    default JobLogs logs() {
        return JobLogs.NONE;
    }

    /** Where jobs report by HTTP. */
    default ReportInbox reports() {
        return ReportInbox.NONE;
    }

    /** Sentences for operators: what the engine cannot enforce here, under which account jobs run. */
    default List<String> notices() {
        return List.of();
    }

    /** What it can do; the same as long as the engine is open. */
    default Capabilities capabilities() {
        return Capabilities.ALL;
    }

    /** What it takes to suspend a job in place, before anything is known of its program. */
    default SuspendCosts suspendCosts() {
        return SuspendCosts.CANNOT;
    }

    /** Why such a job can never run here (no such account, for instance), or null; called before a job is accepted. */
    default @Nullable String rejectionReason(JobSpec spec, String user) {
        return null;
    }

    /** Whether jobs of different users run under different accounts, so that none can do what the daemon may. */
    default boolean separatesAccounts() {
        return false;
    }

    /** Why no job of this user can run here, or null. */
    default @Nullable String userRejectionReason(String user) {
        return null;
    }

    /**
     * Begins to report events, from any thread, and returns at once. First it reports the state of every accepted attempt, as
     * for {@link EngineOrder.Adopt}. Attempts that are not expected are killed; none of them holds a GPU when a start order is
     * carried out. When all of that is reported, the engine reports {@link EngineEvent.Reachable}; until then nothing is
     * decided. When it loses its connection, it reports {@link EngineEvent.Unreachable}, and {@code Reachable} when it is back.
     *
     * @param cluster the cluster of {@link #topology} in the numbers of the history, matched by ids. Launches and events
     *     use these numbers; some may stand for GPUs that are missing
     */
    void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> inbox);

    /**
     * Begins to report the cluster and the jobs of another scheduler there ({@link EngineEvent.JobObserved}). It is called
     * instead of {@link #open}: no order follows, and nothing is started, ended or changed. All that there is now is reported
     * before {@link EngineEvent.Reachable}. What observed jobs hold is no foreign load.
     */
    default void observe(Topology cluster, Consumer<EngineEvent> inbox) {
        inbox.accept(new EngineEvent.Reachable());
    }

    /**
     * From now on launches and events use the numbers of this cluster. It continues the last one: nodes are new, have changed, or
     * took the number of one that is gone. Called before any order that needs it.
     */
    default void clusterChanged(Topology cluster) {}

    /**
     * Takes an order and returns at once. The answer is {@link EngineEvent.Accepted} or {@link EngineEvent.OrderFailed}, or
     * {@code AttemptEnded} for an attempt that has ended. An order without an answer is repeated; one whose id came before is
     * answered again and not carried out again.
     */
    void submit(EngineOrder order);

    /** Stops reporting. Jobs go on: they outlive the daemon. */
    @Override
    void close();
}
