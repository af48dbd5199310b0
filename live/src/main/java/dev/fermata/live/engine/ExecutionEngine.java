package dev.fermata.live.engine;

import dev.fermata.core.model.Topology;
import dev.fermata.live.spec.EngineOption;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs. The scheduler loop calls it, and every call returns at once: work happens on the engine's own threads, and results
 * are {@link EngineEvent}s. An engine never makes a scheduling decision.
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
     * The cluster as the engine finds it, with a stable id for each node and GPU; fixed while the engine is open. Its
     * numbers are those of a new history: {@link #open} says which ones hold.
     */
    Topology topology();

    /** The output of attempts. */
    default JobLogs logs() {
        return JobLogs.NONE;
    }

    /** Sentences for operators: what the engine cannot enforce here, under which account jobs run. */
    default List<String> notices() {
        return List.of();
    }

    /** The parts of the job file for some engines that this one serves; jobs with others are rejected. */
    default Set<EngineOption> servedOptions() {
        return Set.of();
    }

    /** Why such a job can never run here (no such account, for instance), or null; called before a job is accepted. */
    default @Nullable String rejectionReason(JobSpec spec, String user) {
        return null;
    }

    /** Why no job of this user can run here, or null. */
    default @Nullable String userRejectionReason(String user) {
        return null;
    }

    /**
     * Begins to report events, from any thread. First it reports the state of every expected attempt. A live attempt is
     * adopted, with {@code Running} if it was starting. An attempt that ended is reported with its exit. An attempt that was
     * never started is reported as {@code LOST} and can never start later. Other attempts found here are killed. Returns when
     * all of that is reported.
     *
     * @param cluster the cluster of {@link #topology} in the numbers of the history, matched by ids. Launches and events
     *     use these numbers; some may stand for GPUs that are missing
     */
    void open(Topology cluster, List<Launch> expectedAttempts, Consumer<EngineEvent> inbox);

    void start(Launch launch);

    /** Signals the attempt now and kills what is left after the grace time; the result is {@code AttemptEnded}. */
    void preempt(long jobId, int attempt, long graceMillis);

    /** Kills the attempt with all of its processes; the result is {@code AttemptEnded}. */
    void kill(long jobId, int attempt);

    /** Sets the run time limit, earlier attempts included; 0 for none. */
    void setTimeLimit(long jobId, int attempt, long limitMillis);

    /** Stops reporting. Jobs go on: they outlive the daemon. */
    @Override
    void close();
}
