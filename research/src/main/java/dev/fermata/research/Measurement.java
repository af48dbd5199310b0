package dev.fermata.research;

import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.List;

/**
 * A mean over independent samples with its 95 % confidence interval.
 *
 * @param samples how many values the interval is over
 * @param unit what one of them is: seed, queue or trace
 */
public record Measurement(ConfidenceInterval interval, int samples, String unit) {
    public static final String SEED = "seed";

    /** The mean of these values, one for each sample. */
    public static Measurement of(List<Double> values, String unit) {
        return new Measurement(ConfidenceInterval.of(values), values.size(), unit);
    }

    /** One value for each seed. */
    public static Measurement bySeed(List<Double> values) {
        return of(values, SEED);
    }

    public double mean() {
        return interval.mean();
    }

    public double halfWidth() {
        return interval.halfWidth();
    }

    public double low() {
        return interval.low();
    }

    public double high() {
        return interval.high();
    }
}
