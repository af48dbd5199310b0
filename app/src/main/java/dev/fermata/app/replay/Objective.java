package dev.fermata.app.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.Suggest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What is to become as small as possible: a mean or a percentile of one figure of each job that completed. */
public enum Objective {
    MEAN_JCT("meanJct", -1, Objective::jct, job -> true),
    MEDIAN_JCT("medianJct", 0.5, Objective::jct, job -> true),
    P95_JCT("p95Jct", 0.95, Objective::jct, job -> true),
    MEAN_WAIT("meanWait", -1, job -> job.waitMillis() / 1000.0, job -> true),
    P95_WAIT("p95Wait", 0.95, job -> job.waitMillis() / 1000.0, job -> true),
    MEAN_SLOWDOWN("meanSlowdown", -1, JobResult::slowdown, job -> true),
    P95_SLOWDOWN("p95Slowdown", 0.95, JobResult::slowdown, job -> true),
    TRIAL_MEAN_JCT("trialMeanJct", -1, Objective::jct, job -> job.jobClass() == JobClass.TRIAL);

    private final String label;
    private final double quantile;
    private final ToDoubleFunction<JobResult> figure;
    private final Predicate<JobResult> counts;

    Objective(String label, double quantile, ToDoubleFunction<JobResult> figure, Predicate<JobResult> counts) {
        this.label = label;
        this.quantile = quantile;
        this.figure = figure;
        this.counts = counts;
    }

    private static double jct(JobResult job) {
        return job.jctMillis() / 1000.0;
    }

    public String label() {
        return label;
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Objective::label).toList();
    }

    public static Objective parse(String text) {
        return Arrays.stream(values())
                .filter(objective -> objective.label.toLowerCase(Locale.ROOT).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--objective (" + text + ") is unknown." + Suggest.among(text, labels())));
    }

    boolean counts(JobResult job) {
        return job.state() == JobState.COMPLETED && counts.test(job);
    }

    double figure(JobResult job) {
        return figure.applyAsDouble(job);
    }

    /** Of these figures; 0 for none. */
    double of(double[] figures) {
        if (figures.length == 0) {
            return 0;
        }
        if (quantile < 0) {
            return Arrays.stream(figures).average().orElse(0);
        }
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.max(0, Math.ceil(quantile * sorted.length) - 1)];
    }

    double of(List<JobResult> jobs) {
        return of(jobs.stream().filter(this::counts).mapToDouble(this::figure).toArray());
    }
}
