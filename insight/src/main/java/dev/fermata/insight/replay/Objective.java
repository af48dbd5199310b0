package dev.fermata.insight.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.Suggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The objective to minimise: a mean or a percentile of one figure over the completed jobs. */
public enum Objective {
    MEAN_JCT("meanJct", -1),
    MEDIAN_JCT("medianJct", 0.5),
    P95_JCT("p95Jct", 0.95),
    MEAN_WAIT("meanWait", -1),
    P95_WAIT("p95Wait", 0.95),
    MEAN_SLOWDOWN("meanSlowdown", -1),
    P95_SLOWDOWN("p95Slowdown", 0.95),
    TRIAL_MEAN_JCT("trialMeanJct", -1);

    private final String label;
    /** Negative for the mean. */
    private final double quantile;

    Objective(String label, double quantile) {
        this.label = label;
        this.quantile = quantile;
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
                        "--objective (" + text + ") is unknown." + Suggestion.didYouMean(text, labels())));
    }

    /** Whether it is a time. */
    public boolean isSeconds() {
        return this != MEAN_SLOWDOWN && this != P95_SLOWDOWN;
    }

    public boolean includes(JobResult job) {
        return job.state() == JobState.COMPLETED && (this != TRIAL_MEAN_JCT || job.jobClass() == JobClass.TRIAL);
    }

    double value(JobResult job) {
        return switch (this) {
            case MEAN_JCT, MEDIAN_JCT, P95_JCT, TRIAL_MEAN_JCT -> job.jctMillis() / 1000.0;
            case MEAN_WAIT, P95_WAIT -> job.waitMillis() / 1000.0;
            case MEAN_SLOWDOWN, P95_SLOWDOWN -> job.slowdown();
        };
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
        return of(jobs.stream().filter(this::includes).mapToDouble(this::value).toArray());
    }
}
