package dev.fermata.live.engine;

import dev.fermata.core.model.Topology;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The outside that runs real jobs. Calls come from the conductor's thread and return at once: whatever takes time happens
 * on the engine's own threads, and its end is told as {@link News}. An engine never decides anything; it does what it is told,
 * and tells the truth about processes.
 */
public interface LiveEngine extends AutoCloseable {
    /** {@code local}, {@code slurm}, {@code kubernetes}. */
    String name();

    /**
     * Which place this engine runs jobs at: the same as long as it can find again what it started, another where it cannot. A history
     * that has jobs on GPUs goes on only at the place where they are.
     */
    default String identity() {
        return name();
    }

    /** That place in words for people, such as a folder and a machine. */
    default String place() {
        return "the engine " + name();
    }

    /**
     * Takes that place for this daemon alone, until it is closed. Called before the lead is taken for good; throws with a sentence when
     * another daemon has the place, though not before {@code patienceMillis}.
     */
    default void claim(long patienceMillis) throws InterruptedException {}

    /** The cluster as found; fixed while the engine is open. */
    Topology topology();

    /** What operators should know about this engine here, a sentence each: what it cannot enforce, as whom jobs run. */
    default List<String> remarks() {
        return List.of();
    }

    /** Why this launch could never be carried out here (no such account, for instance), or null; asked before a job is accepted. */
    default @Nullable String refusal(JobSpec spec, String user) {
        return null;
    }

    /** Why no launch of this user could be carried out here, whatever it is, or null. */
    default @Nullable String refusesJobsOf(String user) {
        return null;
    }

    /**
     * Begins to tell news, from any thread. First the truth about every attempt that the ledger believes to be on GPUs: an
     * attempt that is still alive is adopted ({@code Running} is told if the ledger still has it starting), one that ended
     * meanwhile is told as {@code Left} with its exit, one that was never started is {@code Left} with {@code LOST} and can never
     * start afterwards. What runs here without being believed in is ended. Returns when all of that has been told.
     */
    void open(List<Launch> believed, Consumer<News> inbox);

    void start(Launch launch);

    /** Signal now, kill of everything the attempt left behind after the grace; answered with {@code Left}. */
    void pause(long jobId, int attempt, long graceMillis);

    /** Ends the attempt for good, its children included; answered with {@code Left}. */
    void kill(long jobId, int attempt);

    /** The attempt may run for so long from now on, earlier attempts included; 0 for as long as it likes. */
    void limit(long jobId, int attempt, long limitMillis);

    /** Stops telling. Jobs go on: they outlive the daemon. */
    @Override
    void close();
}
