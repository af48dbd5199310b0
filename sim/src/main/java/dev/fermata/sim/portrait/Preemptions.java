package dev.fermata.sim.portrait;

import java.util.List;

/** The preemptions of a run: exact sums over all of them, and the costliest with a sample of the rest, by time. */
public record Preemptions(Totals totals, List<Preemption> kept) {
    /**
     * Sums over the whole run, GPU-time in GPU-milliseconds. Pause, reload and other loads and pauses make up the whole overhead
     * of the run; lost and other lost make up all that was lost.
     *
     * @param preemptions decisions, each with one victim or more
     * @param pauses jobs paused, moves included
     * @param moves jobs that were paused only to go to other GPUs
     * @param weighed decisions for which the policy held gain against cost
     * @param paid decisions whose gain in hindsight was above their cost; moves never count
     * @param otherOverheadGpuMillis first loads, loads after a failure, and leaving when cancelled
     * @param otherLostGpuMillis work lost to failures
     */
    public record Totals(
            long preemptions,
            long pauses,
            long moves,
            long weighed,
            long paid,
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
