package dev.fermata.history;

import dev.fermata.core.model.Speed;

/**
 * The estimated remaining work of a job in milliseconds on the reference GPU: its 10th, 50th and 90th percentile.
 */
public record RemainingTime(long p10Millis, long p50Millis, long p90Millis, EstimateSource source) {
    /** The source of an estimate, the best first. */
    public enum EstimateSource {
        /** The script of the job reports steps. */
        REPORTED,
        /** The output of the job shows its progress. */
        OUTPUT,
        /** Similar jobs ran before. */
        LEARNED,
        /** Its user declared a run time. */
        DECLARED,
        /** No source: the estimate for any job. */
        ASSUMED
    }

    /** The remaining wall-clock time at this speed, in millionths of the reference speed. */
    public RemainingTime atSpeed(long speedMicro) {
        double times = speedMicro <= 0 ? 1 : (double) Speed.UNIT / speedMicro;
        return new RemainingTime(
                Math.round(p10Millis * times), Math.round(p50Millis * times), Math.round(p90Millis * times), source);
    }

    public RemainingTime {
        p10Millis = Math.max(1, p10Millis);
        p50Millis = Math.max(p10Millis, p50Millis);
        p90Millis = Math.max(p50Millis, p90Millis);
    }
}
