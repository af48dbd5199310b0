package dev.fermata.core.measure;

import java.util.List;

/**
 * One decision to preempt jobs for another, and its result so far. Delays are job-milliseconds: completion time
 * gained or lost. What is not known yet is -1 and counts for nothing.
 *
 * @param number of the history entry that began it
 * @param settled whether the outcome is known: all victims have ended, and the beneficiary has started or never will
 */
public record PreemptionResult(
        long number,
        long atMillis,
        BeneficiaryResult beneficiaryResult,
        PreemptionEstimate expected,
        List<VictimResult> victims,
        boolean settled) {
    public PreemptionResult {
        victims = List.copyOf(victims);
    }

    /**
     * The job that the GPUs were for.
     *
     * @param startedMillis when it got the GPUs reserved for it; -1 when it did not
     * @param loadMillis what it then took to load
     */
    public record BeneficiaryResult(long id, String name, int gpus, long startedMillis, long loadMillis) {}

    public long beneficiary() {
        return beneficiaryResult.id();
    }

    public String beneficiaryName() {
        return beneficiaryResult.name();
    }

    public int beneficiaryGpus() {
        return beneficiaryResult.gpus();
    }

    public long startedMillis() {
        return beneficiaryResult.startedMillis();
    }

    public long loadMillis() {
        return beneficiaryResult.loadMillis();
    }

    public long expectedGainMillis() {
        return expected.gainMillis();
    }

    public long expectedCostMillis() {
        return expected.costMillis();
    }

    /** What a decision came to. */
    public enum Balance {
        /** Some of its victims have not ended: what they would have run for is not known. */
        OPEN,
        PAID,
        NOT_PAID,
        /** The job left its GPUs only to move to others. */
        MOVED
    }

    /**
     * What a preemption cost one victim.
     *
     * @param preemptMillis from the signal until it was gone
     * @param lostMillis work that it had to do again
     * @param reloadMillis what it took to load when it came back
     * @param reloadGpuMillis the same times the GPUs it then had
     */
    public record VictimCost(long preemptMillis, long lostMillis, long reloadMillis, long reloadGpuMillis) {}

    /**
     * One job that was preempted.
     *
     * @param attempt that was preempted
     * @param gpus it held then
     * @param vacatedMillis when it was gone
     * @param awayMillis from the decision until it made progress again, was preempted again, or ended
     * @param remainingMillis how long it still ran afterwards, repeated work left out; known when it has ended
     */
    public record VictimResult(
            long id,
            String name,
            int attempt,
            int gpus,
            long vacatedMillis,
            VictimCost cost,
            long awayMillis,
            long remainingMillis) {

        public long preemptMillis() {
            return cost.preemptMillis();
        }

        public long lostMillis() {
            return cost.lostMillis();
        }

        public long reloadMillis() {
            return cost.reloadMillis();
        }

        public long reloadGpuMillis() {
            return cost.reloadGpuMillis();
        }

        public long preemptGpuMillis() {
            return knownOrZero(preemptMillis()) * gpus;
        }

        public long lostGpuMillis() {
            return knownOrZero(lostMillis()) * gpus;
        }

        public long gpuMillis() {
            return preemptGpuMillis() + knownOrZero(reloadGpuMillis()) + lostGpuMillis();
        }

        /** Completion time that it lost: the time away, and the work to repeat. */
        public long delayMillis() {
            return knownOrZero(awayMillis) + knownOrZero(lostMillis());
        }
    }

    private static long knownOrZero(long millis) {
        return Math.max(0, millis);
    }

    /** The job left its GPUs only to move to others. */
    public boolean isMove() {
        return victims.size() == 1 && victims.get(0).id() == beneficiary();
    }

    /** Whether the policy weighed gain against cost. */
    public boolean hasEstimates() {
        return expectedGainMillis() != 0 || expectedCostMillis() != 0;
    }

    /** GPU-time spent on saving, loading again and repeating. */
    public long gpuMillis() {
        return victims.stream().mapToLong(VictimResult::gpuMillis).sum();
    }

    /** Completion time that the victims lost. */
    public long costMillis() {
        return victims.stream().mapToLong(VictimResult::delayMillis).sum();
    }

    /**
     * Completion time that the beneficiary saved at most. It is what the victims still ran (mean, weighted by GPUs),
     * the wait for exactly these GPUs, less what it still waited. 0 where it never started, for a move, and while it is
     * not known.
     */
    public long gainMillis() {
        if (!settled || startedMillis() < 0 || isMove()) {
            return 0;
        }
        double weighted = 0;
        double gpus = 0;
        for (VictimResult victim : victims) {
            weighted += (double) knownOrZero(victim.remainingMillis()) * victim.gpus();
            gpus += victim.gpus();
        }
        return gpus == 0 ? 0 : Math.round(weighted / gpus) - (startedMillis() - atMillis);
    }

    public Balance balance() {
        if (isMove()) {
            return Balance.MOVED;
        }
        return !settled ? Balance.OPEN : gainMillis() > costMillis() ? Balance.PAID : Balance.NOT_PAID;
    }
}
