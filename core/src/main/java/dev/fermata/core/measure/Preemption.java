package dev.fermata.core.measure;

import java.util.List;

/**
 * One decision to pause jobs for the sake of another, and what came of it so far. Times that count delay are job-milliseconds:
 * completion time that somebody gained or lost. What is not known yet is -1 and counts for nothing.
 *
 * @param number of the line of the history that began it
 * @param expectedGainMillis as the policy estimated it; 0, as the cost, where the policy weighs nothing
 * @param startedMillis when the beneficiary got the GPUs it was promised; -1 when it did not
 * @param loadMillis what the beneficiary then took to load
 * @param settled whether it is known what came of it: all its victims have ended, and the beneficiary has started or never will
 */
public record Preemption(
        long number,
        long atMillis,
        long beneficiary,
        String beneficiaryName,
        int beneficiaryGpus,
        long expectedGainMillis,
        long expectedCostMillis,
        long startedMillis,
        long loadMillis,
        List<Victim> victims,
        boolean settled) {
    public Preemption {
        victims = List.copyOf(victims);
    }

    /** What a decision came to in hindsight. */
    public enum Balance {
        /** Some of its victims have not ended: what they would have run for is not known. */
        OPEN,
        PAID,
        NOT_PAID,
        /** The job left its GPUs only to go to others: nobody waited for them. */
        MOVED
    }

    /**
     * One job that was paused.
     *
     * @param attempt that was asked to leave
     * @param gpus it held when it was asked to leave
     * @param leftMillis when it was gone
     * @param pauseMillis from the signal until it was gone
     * @param lostMillis work that it had to do again
     * @param reloadMillis what it took to load when it came back
     * @param reloadGpuMillis the same times the GPUs it then had
     * @param awayMillis from the decision until it made progress again, was asked to leave anew, or ended
     * @param remainingMillis how long it still ran after this pause, repeated work left out; known when it has ended
     */
    public record Victim(
            long id,
            String name,
            int attempt,
            int gpus,
            long leftMillis,
            long pauseMillis,
            long lostMillis,
            long reloadMillis,
            long reloadGpuMillis,
            long awayMillis,
            long remainingMillis) {

        public long pauseGpuMillis() {
            return known(pauseMillis) * gpus;
        }

        public long lostGpuMillis() {
            return known(lostMillis) * gpus;
        }

        public long gpuMillis() {
            return pauseGpuMillis() + known(reloadGpuMillis) + lostGpuMillis();
        }

        /** Completion time that it lost: the time away, and the work to repeat. */
        public long delayMillis() {
            return known(awayMillis) + known(lostMillis);
        }
    }

    private static long known(long millis) {
        return Math.max(0, millis);
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

    /** Completion time that the victims lost. */
    public long costMillis() {
        return victims.stream().mapToLong(Victim::delayMillis).sum();
    }

    /**
     * Completion time that the beneficiary saved at most: what the victims still ran (mean, weighted by GPUs), which is how
     * long it would have waited for exactly these GPUs, less what it waited nevertheless. 0 where it never started, for a
     * move, and while it is not known.
     */
    public long gainMillis() {
        if (!settled || startedMillis < 0 || move()) {
            return 0;
        }
        double weighted = 0;
        double gpus = 0;
        for (Victim victim : victims) {
            weighted += (double) known(victim.remainingMillis()) * victim.gpus();
            gpus += victim.gpus();
        }
        return gpus == 0 ? 0 : Math.round(weighted / gpus) - (startedMillis - atMillis);
    }

    public Balance balance() {
        if (move()) {
            return Balance.MOVED;
        }
        return !settled ? Balance.OPEN : gainMillis() > costMillis() ? Balance.PAID : Balance.NOT_PAID;
    }
}
