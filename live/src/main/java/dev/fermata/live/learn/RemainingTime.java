package dev.fermata.live.learn;

import dev.fermata.core.model.Pace;

/**
 * How much work a job is taken to have left, in milliseconds on the reference GPU: with a chance of one in ten it is less than
 * {@code p10Millis}, with one in two less than {@code p50Millis}, with nine in ten less than {@code p90Millis}.
 */
public record RemainingTime(long p10Millis, long p50Millis, long p90Millis, Source source) {
    /** What an estimate rests on, the best first. */
    public enum Source {
        /** Its script counts steps. */
        REPORTED,
        /** Jobs like it ran before. */
        LEARNED,
        /** Its user said how long it takes. */
        DECLARED,
        /** Nobody knows anything: as of any job. */
        ASSUMED
    }

    /** The same in time on a clock, at this pace in millionths of the reference speed. */
    public RemainingTime at(long paceMicro) {
        double times = paceMicro <= 0 ? 1 : (double) Pace.UNIT / paceMicro;
        return new RemainingTime(
                Math.round(p10Millis * times), Math.round(p50Millis * times), Math.round(p90Millis * times), source);
    }

    public RemainingTime {
        p10Millis = Math.max(1, p10Millis);
        p50Millis = Math.max(p10Millis, p50Millis);
        p90Millis = Math.max(p50Millis, p90Millis);
    }
}
