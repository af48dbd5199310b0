package dev.fermata.sim.recording;

import dev.fermata.core.measure.PreemptionResult;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The preemptions of a run: exact sums over all of them, and the costliest with a sample of the rest, by time.
 *
 * @param sampled numbers of those that belong to a sample at even distances over all preemptions, not only to the costliest
 */
public record RecordedPreemptions(RecordedTotals totals, List<PreemptionResult> kept, List<Long> sampled) {
    public RecordedPreemptions {
        kept = List.copyOf(kept);
        sampled = List.copyOf(sampled);
    }

    /** Those of the sample, by time. */
    public List<PreemptionResult> sample() {
        Set<Long> numbers = new HashSet<>(sampled);
        return kept.stream().filter(p -> numbers.contains(p.number())).toList();
    }

    /**
     * Sums over the whole run, GPU-time in GPU-milliseconds. Pause, reload and other loads and pauses make up the whole
     * overhead of the run; lost and other lost make up all that was lost.
     *
     * @param preemptions decisions, each with one victim or more
     * @param preemptedJobs jobs preempted, moves included
     * @param moves jobs that were preempted only to move to other GPUs
     * @param costBenefitDecisions decisions for which the policy compared gain and cost
     * @param beneficial decisions whose gain, computed after the run, exceeds their cost; moves never count
     * @param declined preemptions that the policy weighed and declined
     * @param otherOverheadGpuMillis first loads, loads after a failure, and terminations of cancelled jobs
     * @param otherLostGpuMillis work lost to failures
     */
    public record RecordedTotals(
            long preemptions,
            long preemptedJobs,
            long moves,
            long costBenefitDecisions,
            long beneficial,
            long declined,
            long gainMillis,
            long costMillis,
            long preemptGpuMillis,
            long reloadGpuMillis,
            long lostGpuMillis,
            long otherOverheadGpuMillis,
            long otherLostGpuMillis) {
        public long gpuMillis() {
            return preemptGpuMillis + reloadGpuMillis + lostGpuMillis;
        }
    }
}
