package dev.fermata.research.judge;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.sim.experiment.PairedComparison;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What the policies did in one cell with one estimator, over all seeds. The default policy is compared seed by seed. */
public final class CellResult {
    static final String OURS = "fermata";
    private static final String SERVICE = "srsf";
    private static final String ATTAINED = "las";

    /** Jobs wait where they spend at least this share of their completion time under las waiting. */
    private static final double WAITING_SHARE = 0.05;

    private final JudgeCell cell;
    private final String estimator;
    private final Map<String, List<MeasuredRun>> byPolicy = new LinkedHashMap<>();

    CellResult(JudgeCell cell, String estimator, List<MeasuredRun> runs) {
        this.cell = cell;
        this.estimator = estimator;
        for (MeasuredRun run : runs) {
            byPolicy.computeIfAbsent(run.policy().text(), p -> new ArrayList<>())
                    .add(run);
        }
    }

    public JudgeCell cell() {
        return cell;
    }

    public String estimator() {
        return estimator;
    }

    public String label() {
        return cell.title() + ", " + estimator;
    }

    /** The other policy with the least mean completion time, chosen after the runs: the hardest comparator. */
    public String bestOther() {
        return byPolicy.keySet().stream()
                .filter(policy -> !policy.equals(OURS))
                .min(Comparator.comparingDouble(policy -> mean(policy, MeasuredRun::meanJctSeconds)))
                .orElseThrow();
    }

    public double meanJctSeconds(String policy) {
        return mean(policy, MeasuredRun::meanJctSeconds);
    }

    /** The change of the mean completion time against another policy, seed by seed. */
    public PairedComparison change(String other) {
        return PairedComparison.of(bySeed(other), bySeed(OURS));
    }

    /** The same against the default policy with another estimator. */
    PairedComparison changeFrom(CellResult other) {
        return PairedComparison.of(other.bySeed(OURS), bySeed(OURS));
    }

    public boolean hasTrials() {
        return runs(OURS).get(0).summary().trial().completed() > 0;
    }

    public double trialP95Slowdown() {
        return mean(OURS, run -> run.summary().trial().slowdown().p95());
    }

    public double longestAgainstService() {
        return ratio(run -> run.summary().all().jct().max());
    }

    public double preemptionsAgainstService() {
        return ratio(run -> (double) run.summary().preemptions());
    }

    public boolean jobsWait() {
        return mean(ATTAINED, run -> run.summary().all().waiting().mean()) > WAITING_SHARE * meanJctSeconds(ATTAINED);
    }

    private double ratio(ToDoubleFunction<MeasuredRun> value) {
        return mean(OURS, value) / Math.max(1e-9, mean(SERVICE, value));
    }

    private double mean(String policy, ToDoubleFunction<MeasuredRun> value) {
        return runs(policy).stream().mapToDouble(value).average().orElseThrow();
    }

    private List<MeasuredRun> runs(String policy) {
        List<MeasuredRun> runs = byPolicy.get(policy);
        if (runs == null) {
            throw new IllegalStateException(label() + ": no run of " + policy);
        }
        return runs;
    }

    private Map<Long, Double> bySeed(String policy) {
        Map<Long, Double> values = new LinkedHashMap<>();
        runs(policy).forEach(run -> values.put(run.result().seed(), run.meanJctSeconds()));
        return values;
    }
}
