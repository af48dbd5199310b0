package dev.fermata.live.store;

/**
 * A job's remaining work as estimated at one moment, and as it turned out. Work is in milliseconds on the reference GPU.
 *
 * @param moment {@code submit}, {@code start}, {@code quarter}, {@code half}, {@code late}
 * @param source where the estimate came from: {@code REPORTED}, {@code LEARNED}, {@code DECLARED}, {@code ASSUMED}
 * @param doneMillis work done before that moment
 * @param actualMillis work done from that moment to the job's end; -1 until it ends
 */
public record EstimateRow(
        long jobId,
        String moment,
        long atMillis,
        String source,
        long doneMillis,
        WorkQuantiles remaining,
        long actualMillis) {
    /** Remaining work, in the lower, the middle and the upper estimate. */
    public record WorkQuantiles(long p10Millis, long p50Millis, long p90Millis) {}

    public long p10Millis() {
        return remaining.p10Millis;
    }

    public long p50Millis() {
        return remaining.p50Millis;
    }

    public long p90Millis() {
        return remaining.p90Millis;
    }

    /** The same estimate at another moment. */
    public EstimateRow withMoment(String otherMoment, long otherMillis) {
        return new EstimateRow(jobId, otherMoment, otherMillis, source, doneMillis, remaining, actualMillis);
    }

    public EstimateRow withActual(long millis) {
        return new EstimateRow(jobId, moment, atMillis, source, doneMillis, remaining, millis);
    }
}
