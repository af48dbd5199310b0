package dev.fermata.live.store;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of a job.
 *
 * @param measurements its measured costs as JSON; empty while it runs, or when nothing was measured
 */
public record AttemptRow(
        long jobId,
        int attempt,
        AttemptPlace place,
        AttemptTimes times,
        AttemptResult result,
        AttemptCosts costs,
        PreemptionTrade preemption,
        String measurements) {
    /**
     * Where it is, and what the engine has confirmed of it.
     *
     * @param gpus as {@code 0,1,5}
     * @param acceptedMillis when the engine accepted its start, -1 until it does
     * @param externalId the engine's own id of it; empty for none
     * @param devices the ids of the GPUs that the engine bound, separated by commas; empty until it does
     * @param startAbort why its start is cancelled at the engine; empty where it is not
     */
    public record AttemptPlace(String gpus, long acceptedMillis, String externalId, String devices, String startAbort) {
        /** On these GPUs, not accepted yet. */
        public static AttemptPlace ordered(String gpus) {
            return new AttemptPlace(gpus, -1, "", "", "");
        }
    }

    public String gpus() {
        return place.gpus;
    }

    /** When it entered each state; -1 until it does. */
    public record AttemptTimes(long startedMillis, long runningMillis, long preemptingMillis, long endedMillis) {}

    /** How it ended; {@code outcome} is empty while it runs. */
    public record AttemptResult(String outcome, @Nullable Integer exitCode, int signal, String detail) {}

    /** How its time was spent. */
    public record AttemptCosts(
            long loadMillis, long usefulMillis, long lostMillis, long preemptMillis, long savedWorkMillis) {}

    /** The job it was preempted for, -1 for none, with the expected gain and cost. */
    public record PreemptionTrade(long beneficiary, long gainMillis, long costMillis) {}

    public long startedMillis() {
        return times.startedMillis;
    }

    public long runningMillis() {
        return times.runningMillis;
    }

    public long preemptingMillis() {
        return times.preemptingMillis;
    }

    public long endedMillis() {
        return times.endedMillis;
    }

    public String outcome() {
        return result.outcome;
    }

    public @Nullable Integer exitCode() {
        return result.exitCode;
    }

    public int signal() {
        return result.signal;
    }

    public String detail() {
        return result.detail;
    }

    public long loadMillis() {
        return costs.loadMillis;
    }

    public long usefulMillis() {
        return costs.usefulMillis;
    }

    public long lostMillis() {
        return costs.lostMillis;
    }

    public long preemptMillis() {
        return costs.preemptMillis;
    }

    public long savedWorkMillis() {
        return costs.savedWorkMillis;
    }

    public long beneficiary() {
        return preemption.beneficiary;
    }

    public long gainMillis() {
        return preemption.gainMillis;
    }

    public long costMillis() {
        return preemption.costMillis;
    }
}
