package dev.fermata.report.comparison;

import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.sim.recording.RecordedPreemptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The pauses in tables: sums for each policy, and the decisions that stand out. */
public final class PreemptionSummaries {
    private static final int MAX_ROWS = 10;

    private record PolicyPreemption(String policy, long begin, PreemptionResult preemption) {}

    private PreemptionSummaries() {}

    /** Sums over the runs of each policy; what is shown of a run is a mean over the seeds. */
    public static ResultTable totals(Comparison.Group panel) {
        List<List<String>> rows = new ArrayList<>();
        for (Comparison.Row row : panel.rows()) {
            List<RecordedPreemptions.RecordedTotals> totals =
                    row.recordings().stream().map(p -> p.preemptions().totals()).toList();
            long decisions = totals.stream()
                    .mapToLong(RecordedPreemptions.RecordedTotals::preemptions)
                    .sum();
            long moves = totals.stream()
                    .mapToLong(RecordedPreemptions.RecordedTotals::moves)
                    .sum();
            long paid = totals.stream()
                    .mapToLong(RecordedPreemptions.RecordedTotals::beneficial)
                    .sum();
            rows.add(List.of(
                    row.label(),
                    HumanFormat.count(mean(totals, RecordedPreemptions.RecordedTotals::preemptions)),
                    HumanFormat.count(mean(totals, RecordedPreemptions.RecordedTotals::preemptedJobs)),
                    HumanFormat.count(mean(totals, RecordedPreemptions.RecordedTotals::moves)),
                    HumanFormat.count(mean(totals, RecordedPreemptions.RecordedTotals::declined)),
                    seconds(totals, RecordedPreemptions.RecordedTotals::preemptGpuMillis),
                    seconds(totals, RecordedPreemptions.RecordedTotals::reloadGpuMillis),
                    seconds(totals, RecordedPreemptions.RecordedTotals::lostGpuMillis),
                    seconds(totals, RecordedPreemptions.RecordedTotals::costMillis),
                    seconds(totals, RecordedPreemptions.RecordedTotals::gainMillis),
                    decisions > moves ? HumanFormat.percent((double) paid / (decisions - moves)) : "–"));
        }
        return new ResultTable(
                "Outcome of the pauses",
                List.of(
                        "policy",
                        "decisions",
                        "pauses",
                        "moves",
                        "refused",
                        "GPU-time pausing",
                        "GPU-time reloading",
                        "GPU-time lost",
                        "delay of victims",
                        "wait saved at most",
                        "paid off"),
                rows);
    }

    private static double mean(
            List<RecordedPreemptions.RecordedTotals> totals,
            ToLongFunction<RecordedPreemptions.RecordedTotals> figure) {
        return totals.stream().mapToLong(figure).average().orElse(0);
    }

    private static String seconds(
            List<RecordedPreemptions.RecordedTotals> totals,
            ToLongFunction<RecordedPreemptions.RecordedTotals> millis) {
        return HumanFormat.time(mean(totals, millis) / 1000);
    }

    /** The costliest decisions in GPU-time, and those that lost most; empty without a pause. */
    public static List<ResultTable> outliers(Comparison.Group panel) {
        List<PolicyPreemption> all = new ArrayList<>();
        for (Comparison.Row row : panel.rows()) {
            var recording = row.recordings().get(0);
            recording
                    .preemptions()
                    .kept()
                    .forEach(p -> all.add(
                            new PolicyPreemption(row.label(), recording.series().beginMillis(), p)));
        }
        if (all.isEmpty()) {
            return List.of();
        }
        Comparator<PolicyPreemption> byTime = Comparator.comparingLong((PolicyPreemption e) -> e.preemption.atMillis())
                .thenComparingLong(e -> e.preemption.beneficiary());
        return List.of(
                sheet(
                        "The decisions that cost the most GPU-time",
                        all,
                        Comparator.comparingLong((PolicyPreemption e) -> -e.preemption.gpuMillis())
                                .thenComparing(byTime)),
                sheet(
                        "The decisions that lost most",
                        all.stream().filter(e -> !e.preemption.isMove()).toList(),
                        Comparator.comparingLong(
                                        (PolicyPreemption e) -> e.preemption.gainMillis() - e.preemption.costMillis())
                                .thenComparing(byTime)));
    }

    private static ResultTable sheet(String title, List<PolicyPreemption> entries, Comparator<PolicyPreemption> order) {
        List<List<String>> rows = entries.stream()
                .sorted(order)
                .limit(MAX_ROWS)
                .map(PreemptionSummaries::row)
                .toList();
        return new ResultTable(
                title,
                List.of(
                        "policy",
                        "at",
                        "paused",
                        "for",
                        "GPU-time",
                        "delay of victims",
                        "wait saved at most",
                        "cost expected",
                        "gain expected"),
                rows);
    }

    private static List<String> row(PolicyPreemption entry) {
        PreemptionResult p = entry.preemption;
        String victims = p.victims().stream()
                .limit(3)
                .map(v -> job(v.id(), v.name(), v.gpus()))
                .collect(Collectors.joining(", "));
        int more = p.victims().size() - 3;
        return List.of(
                entry.policy,
                HumanFormat.time((p.atMillis() - entry.begin) / 1000.0),
                victims + (more > 0 ? " and " + more + " more" : ""),
                p.isMove() ? "other GPUs" : job(p.beneficiary(), p.beneficiaryName(), p.beneficiaryGpus()),
                HumanFormat.time(p.gpuMillis() / 1000.0),
                HumanFormat.time(p.costMillis() / 1000.0),
                p.isMove() ? "–" : HumanFormat.time(p.gainMillis() / 1000.0),
                p.hasEstimates() ? HumanFormat.time(p.expectedCostMillis() / 1000.0) : "–",
                p.hasEstimates() ? HumanFormat.time(p.expectedGainMillis() / 1000.0) : "–");
    }

    private static String job(long id, String name, int gpus) {
        String shown = name.codePointCount(0, name.length()) > 24
                ? name.substring(0, name.offsetByCodePoints(0, 23)) + "…"
                : name;
        boolean namedById = name.equals("job-" + id) || name.equals(Long.toString(id));
        return (namedById ? shown : id + " " + shown) + " (" + HumanFormat.amount(gpus, "GPU") + ")";
    }
}
