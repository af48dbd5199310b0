package dev.fermata.sim.experiment;

import java.util.List;

/** A mean over seeds with the half width of its 95 % confidence interval (Student's t); 0 for a single value. */
public record ConfidenceInterval(double mean, double halfWidth) {
    private static final double Z_975 = 1.95996;
    private static final double[] T_975 = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
    };

    public double low() {
        return mean - halfWidth;
    }

    public double high() {
        return mean + halfWidth;
    }

    public static ConfidenceInterval of(List<Double> values) {
        int n = values.size();
        // Counted from the first value: so equal values have exactly that mean, and an interval of exactly no width.
        double first = n == 0 ? 0 : values.get(0);
        double mean =
                first + values.stream().mapToDouble(v -> v - first).average().orElse(0);
        if (n < 2) {
            return new ConfidenceInterval(mean, 0);
        }
        double squares =
                values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
        return new ConfidenceInterval(mean, studentQuantile(n - 1) * Math.sqrt(squares / (n - 1) / n));
    }

    /** The 97.5 % quantile; beyond the table by its expansion around the normal distribution's. */
    private static double studentQuantile(int degreesOfFreedom) {
        return degreesOfFreedom <= T_975.length
                ? T_975[degreesOfFreedom - 1]
                : Z_975 + 2.3723 / degreesOfFreedom + 2.8224 / degreesOfFreedom / degreesOfFreedom;
    }
}
