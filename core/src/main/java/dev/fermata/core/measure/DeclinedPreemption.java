package dev.fermata.core.measure;

/**
 * One preemption that a policy weighed and declined, and how long the job then waited.
 *
 * @param number of its history entry
 * @param victims how many jobs it would have preempted
 * @param startedMillis when the job then got GPUs; -1 when it has not, or never did
 * @param endedMillis when its wait ended: with its start, or without; -1 while it waits
 */
public record DeclinedPreemption(
        long number,
        long atMillis,
        WaitingJob waitingJob,
        int victims,
        PreemptionEstimate expected,
        long startedMillis,
        long endedMillis) {
    /** The job that would have got the GPUs. */
    public record WaitingJob(long id, String name, int gpus) {}

    public long job() {
        return waitingJob.id();
    }

    public String name() {
        return waitingJob.name();
    }

    public int gpus() {
        return waitingJob.gpus();
    }

    public long expectedGainMillis() {
        return expected.gainMillis();
    }

    public long expectedCostMillis() {
        return expected.costMillis();
    }

    /** How long it waited after that; -1 while it does. */
    public long waitedMillis() {
        return endedMillis < 0 ? -1 : endedMillis - atMillis;
    }

    /** The same when the wait is over. */
    DeclinedPreemption ended(long nowMillis, boolean started) {
        return new DeclinedPreemption(
                number, atMillis, waitingJob, victims, expected, started ? nowMillis : -1, nowMillis);
    }
}
