package dev.fermata.report.comparison;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.PairedComparison;
import dev.fermata.sim.recording.RunRecording;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The runs of a comparison by setting and policy, each policy held against the baseline on the same seeds. */
public record Comparison(List<Group> groups) {

    /** All policies on one setting, in the order they were named. */
    public record Group(ExperimentSetting setting, List<Row> rows) {
        public MeasuredRun first() {
            return rows.get(0).first();
        }

        public String variation() {
            return setting.variation();
        }

        /** A mean completion time that no schedule can beat, over the seeds. */
        public ConfidenceInterval lowerBound() {
            Map<Long, Double> bySeed = new LinkedHashMap<>();
            rows.forEach(row -> row.runs()
                    .forEach(run -> bySeed.put(run.result().seed(), run.result().lowerBoundMeanJctSeconds())));
            return ConfidenceInterval.of(List.copyOf(bySeed.values()));
        }
    }

    /**
     * One policy on one setting.
     *
     * @param runs one for each seed, at least one
     * @param baseline the runs to be held against; none where an interruption cut them off
     */
    public record Row(List<MeasuredRun> runs, List<MeasuredRun> baseline) {
        public MeasuredRun first() {
            return runs.get(0);
        }

        public PolicySpec policy() {
            return first().policy();
        }

        /** The policy, with a mark where the estimator is clairvoyant. */
        public String label() {
            return policy().text() + (first().isClairvoyant() ? "*" : "");
        }

        /** What reports plot, for each seed; only for runs that were recorded. */
        public List<RunRecording> recordings() {
            return runs.stream()
                    .map(run -> Objects.requireNonNull(run.result().recording(), "a run without a recording"))
                    .toList();
        }

        public boolean isBaseline() {
            return runs.equals(baseline);
        }

        public ConfidenceInterval estimate(ToDoubleFunction<MeasuredRun> value) {
            return ConfidenceInterval.of(runs.stream().map(value::applyAsDouble).toList());
        }

        /** Mean completion times, seed by seed, since the same seed is the same workload. */
        public PairedComparison againstBaseline() {
            return PairedComparison.of(bySeed(baseline), bySeed(runs));
        }

        /** The change of one run's mean completion time; nothing where the baseline has no run of its seed. */
        Optional<Double> change(MeasuredRun run) {
            Double reference = bySeed(baseline).get(run.result().seed());
            return reference == null || reference <= 0
                    ? Optional.empty()
                    : Optional.of(run.meanJctSeconds() / reference - 1);
        }

        private static Map<Long, Double> bySeed(List<MeasuredRun> runs) {
            Map<Long, Double> values = new LinkedHashMap<>();
            runs.forEach(run -> values.put(run.result().seed(), run.meanJctSeconds()));
            return values;
        }
    }

    /** @param baseline place of the baseline among the policies of each setting */
    public static Comparison of(List<MeasuredRun> runs, int baseline) {
        List<Group> groups = new ArrayList<>();
        by(runs, run -> run.setting().variation()).forEach(group -> {
            ExperimentSetting setting = group.get(0).setting();
            String reference = setting.policies().get(baseline).text();
            List<MeasuredRun> baselineRuns = group.stream()
                    .filter(run -> run.policy().text().equals(reference))
                    .toList();
            groups.add(new Group(
                    setting,
                    by(group, run -> run.policy().text()).stream()
                            .map(row -> new Row(row, baselineRuns))
                            .toList()));
        });
        return new Comparison(List.copyOf(groups));
    }

    public List<MeasuredRun> runs() {
        return rows().stream().flatMap(row -> row.runs().stream()).toList();
    }

    /** In the order of the command line. */
    public List<Long> seeds() {
        return runs().stream().map(run -> run.result().seed()).distinct().toList();
    }

    public boolean varied() {
        return !groups.get(0).setting().varied().isEmpty();
    }

    public List<Row> rows() {
        return groups.stream().flatMap(group -> group.rows().stream()).toList();
    }

    private static List<List<MeasuredRun>> by(
            List<MeasuredRun> runs, java.util.function.Function<MeasuredRun, String> name) {
        return List.copyOf(runs.stream()
                .collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()))
                .values());
    }
}
