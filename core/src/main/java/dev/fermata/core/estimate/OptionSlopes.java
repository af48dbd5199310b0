package dev.fermata.core.estimate;

import dev.fermata.core.model.RunFeatures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How the work of each step depends on numbers among the options of a program. Exponents that explain its runs best, of options
 * and of the length, by ridge regression of logarithms. Without runs that differ in a number its exponent is 0. A fit costs
 * O(runs · options² + options³).
 */
final class OptionSlopes {
    private static final int MAX_OPTIONS = 8;
    /** Keeps the exponents small until runs show otherwise: as much as runs with squared differences of this sum. */
    private static final double RIDGE = 0.5;

    private static final double MAX_SLOPE = 3;

    private final List<String> names;
    private final double[] slopes;

    private OptionSlopes(List<String> names, double[] slopes) {
        this.names = names;
        this.slopes = slopes;
    }

    /** The logarithm by which a run is longer for these options than for those of another run. */
    double difference(RunFeatures one, RunFeatures other) {
        double sum = 0;
        for (int i = 0; i < names.size(); i++) {
            double a = one.number(names.get(i));
            double b = other.number(names.get(i));
            sum += a > 0 && b > 0 ? slopes[i] * StrictMath.log(a / b) : 0;
        }
        return sum;
    }

    /** The same for their lengths. */
    double lengthDifference(RunFeatures one, RunFeatures other) {
        return slopes[names.size()] * StrictMath.log(one.length() / other.length());
    }

    /** Collects the runs of one program, as seen from one job. */
    static final class Fit {
        private final RunFeatures job;
        private final List<String> names;
        private final List<double[]> rows = new ArrayList<>();
        private final List<Double> logs = new ArrayList<>();

        Fit(RunFeatures job) {
            this.job = job;
            names = job.options().keySet().stream()
                    .filter(name -> job.number(name) > 0)
                    .limit(MAX_OPTIONS)
                    .toList();
        }

        /** @param log the logarithm of its work for each unit of length */
        void add(RunFeatures run, double log) {
            double[] row = new double[names.size() + 1];
            for (int i = 0; i < names.size(); i++) {
                double theirs = run.number(names.get(i));
                row[i] = theirs > 0 ? StrictMath.log(theirs / job.number(names.get(i))) : 0;
            }
            row[names.size()] = StrictMath.log(run.length() / job.length());
            rows.add(row);
            logs.add(log);
        }

        OptionSlopes slopes() {
            int n = names.size() + 1;
            double[] means = new double[n];
            double mean = 0;
            for (int r = 0; r < rows.size(); r++) {
                mean += logs.get(r) / rows.size();
                for (int i = 0; i < n; i++) {
                    means[i] += rows.get(r)[i] / rows.size();
                }
            }
            double[][] matrix = new double[n][n];
            double[] right = new double[n];
            for (int r = 0; r < rows.size(); r++) {
                double[] row = rows.get(r);
                for (int i = 0; i < n; i++) {
                    right[i] += (row[i] - means[i]) * (logs.get(r) - mean);
                    for (int j = 0; j < n; j++) {
                        matrix[i][j] += (row[i] - means[i]) * (row[j] - means[j]);
                    }
                }
            }
            for (int i = 0; i < n; i++) {
                matrix[i][i] += RIDGE;
            }
            double[] solved = solve(matrix, right);
            for (int i = 0; i < n; i++) {
                solved[i] = Math.max(-MAX_SLOPE, Math.min(MAX_SLOPE, solved[i]));
            }
            return new OptionSlopes(names, solved);
        }

        /** Gaussian elimination; a ridge needs no pivots. */
        private static double[] solve(double[][] matrix, double[] right) {
            int n = right.length;
            double[] x = Arrays.copyOf(right, n);
            for (int i = 0; i < n; i++) {
                for (int r = i + 1; r < n; r++) {
                    double factor = matrix[r][i] / matrix[i][i];
                    for (int c = i; c < n; c++) {
                        matrix[r][c] -= factor * matrix[i][c];
                    }
                    x[r] -= factor * x[i];
                }
            }
            for (int i = n - 1; i >= 0; i--) {
                for (int c = i + 1; c < n; c++) {
                    x[i] -= matrix[i][c] * x[c];
                }
                x[i] /= matrix[i][i];
            }
            return x;
        }
    }
}
