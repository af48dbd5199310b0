package dev.fermata.sim.portrait;

import dev.fermata.core.measure.Preemption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The preemptions of a run: exact sums over all of them, and the costliest with a sample of the rest, by time.
 *
 * @param sampled numbers of those that belong to a sample at even distances over all preemptions, not only to the costliest
 */
public record Preemptions(Totals totals, List<Preemption> kept, List<Long> sampled) {
    public Preemptions {
        kept = List.copyOf(kept);
        sampled = List.copyOf(sampled);
    }

    /** Those of the sample, by time. */
    public List<Preemption> sample() {
        Set<Long> numbers = new HashSet<>(sampled);
        return kept.stream().filter(p -> numbers.contains(p.number())).toList();
    }

    /**
     * Sums over the whole run, GPU-time in GPU-milliseconds. Pause, reload and other loads and pauses make up the whole overhead
     * of the run; lost and other lost make up all that was lost.
     *
     * @param preemptions decisions, each with one victim or more
     * @param pauses jobs paused, moves included
     * @param moves jobs that were paused only to go to other GPUs
     * @param weighed decisions for which the policy held gain against cost
     * @param paid decisions whose gain in hindsight was above their cost; moves never count
     * @param declined pauses that the policy weighed and let be
     * @param otherOverheadGpuMillis first loads, loads after a failure, and leaving when cancelled
     * @param otherLostGpuMillis work lost to failures
     */
    public record Totals(
            long preemptions,
            long pauses,
            long moves,
            long weighed,
            long paid,
            long declined,
            long gainMillis,
            long costMillis,
            long pauseGpuMillis,
            long reloadGpuMillis,
            long lostGpuMillis,
            long otherOverheadGpuMillis,
            long otherLostGpuMillis) {
        public long gpuMillis() {
            return pauseGpuMillis + reloadGpuMillis + lostGpuMillis;
        }
    }
}
