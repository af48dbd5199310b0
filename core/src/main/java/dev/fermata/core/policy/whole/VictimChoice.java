package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Which batch jobs leave for a trial job. Smaller scores leave first; equal scores by id. */
public interface VictimChoice {
    /** A batch job that was preempted this often is never a victim again. */
    int budget();

    /** Scores for choosing one victim that is enough alone; null when no such choice is made. */
    default @Nullable ToDoubleFunction<VictimCandidate> scoreSingle(VictimCandidates running) {
        return null;
    }

    /** Scores for asking one after the other, anywhere in the cluster, until there is room. */
    ToDoubleFunction<VictimCandidate> scoreSeveral(View view, JobView trial);
}
