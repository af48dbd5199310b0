package dev.fermata.sim.portrait;

import java.util.List;

/**
 * One decision to pause jobs for the sake of another, and what came of it. Times that count delay are job-milliseconds:
 * completion time that somebody gained or lost.
 *
 * @param expectedGainMillis as the policy estimated it; 0, as the cost, where the policy weighs nothing
 * @param startedMillis when the beneficiary got the GPUs; -1 when it never did
 * @param sampled belongs to a sample at even distances over all preemptions, not only to the costliest
 */
public record Preemption(
        long atMillis,
        long beneficiary,
        String beneficiaryName,
        int beneficiaryGpus,
        long expectedGainMillis,
        long expectedCostMillis,
        long startedMillis,
        List<Victim> victims,
        boolean sampled) {

    /**
     * One job that was paused.
     *
     * @param awayMillis from the pause until it made progress again, or was paused anew
     * @param lostMillis work that it had to do again
     * @param remainingMillis how long it still ran after this pause, repeated work left out
     */
    public record Victim(
            long id,
            String name,
            int gpus,
            long pauseGpuMillis,
            long reloadGpuMillis,
            long lostGpuMillis,
            long awayMillis,
            long lostMillis,
            long remainingMillis) {
        long gpuMillis() {
            return pauseGpuMillis + reloadGpuMillis + lostGpuMillis;
        }
    }

    /** The job left its GPUs only to go to others. */
    public boolean move() {
        return victims.size() == 1 && victims.get(0).id() == beneficiary;
    }

    /** Whether the policy held gain against cost. */
    public boolean weighed() {
        return expectedGainMillis != 0 || expectedCostMillis != 0;
    }

    /** GPU-time spent on saving, loading again and repeating. */
    public long gpuMillis() {
        return victims.stream().mapToLong(Victim::gpuMillis).sum();
    }

    /** Completion time that the victims lost: the time away, and the work to repeat. */
    public long costMillis() {
        return victims.stream().mapToLong(v -> v.awayMillis() + v.lostMillis()).sum();
    }

    /**
     * Completion time that the beneficiary saved at most: what the victims still ran (mean, weighted by GPUs), which is how
     * long it would have waited for exactly these GPUs, less what it waited nevertheless. 0 where it never started, and
     * for a move.
     */
    public long gainMillis() {
        if (startedMillis < 0 || move()) {
            return 0;
        }
        double weighted = 0;
        double gpus = 0;
        for (Victim victim : victims) {
            weighted += (double) victim.remainingMillis() * victim.gpus();
            gpus += victim.gpus();
        }
        return saved(weighted, gpus, startedMillis - atMillis);
    }

    /** @param weighted sum of what the victims still ran, each times its GPUs */
    static long saved(double weighted, double gpus, long waitedMillis) {
        return gpus == 0 ? 0 : Math.round(weighted / gpus) - waitedMillis;
    }
}
