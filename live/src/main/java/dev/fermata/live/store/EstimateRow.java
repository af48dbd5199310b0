package dev.fermata.live.store;

/**
 * How much work a job was taken to have left at some moment, and how much it turned out to have. Work is in milliseconds on the
 * reference GPU.
 *
 * @param moment {@code submit}, {@code start}, {@code quarter}, {@code half}, {@code late}
 * @param source where the estimate came from: {@code REPORTED}, {@code LEARNED}, {@code DECLARED}, {@code ASSUMED}
 * @param doneMillis work done by then
 * @param truthMillis work it did from then to its end
 */
public record EstimateRow(
        long jobId,
        String moment,
        long atMillis,
        String source,
        long doneMillis,
        long p10Millis,
        long p50Millis,
        long p90Millis,
        long truthMillis) {
    /** The same, said of another moment. */
    public EstimateRow at(String otherMoment, long otherMillis) {
        return new EstimateRow(
                jobId, otherMoment, otherMillis, source, doneMillis, p10Millis, p50Millis, p90Millis, truthMillis);
    }

    public EstimateRow withTruth(long millis) {
        return new EstimateRow(jobId, moment, atMillis, source, doneMillis, p10Millis, p50Millis, p90Millis, millis);
    }
}
