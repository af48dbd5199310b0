package dev.fermata.app.report;

import dev.fermata.app.output.Humane;
import dev.fermata.core.measure.Preemption;
import dev.fermata.sim.portrait.Preemptions;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The pauses in tables: sums for each policy, and the decisions that stand out. */
public final class LedgerSheets {
    private static final int STANDING_OUT = 10;

    private record Entry(String policy, long begin, Preemption preemption) {}

    private LedgerSheets() {}

    /** Sums over the runs of each policy; what is shown of a run is a mean over the seeds. */
    public static Sheet totals(Comparison.Group panel) {
        List<List<String>> rows = new ArrayList<>();
        for (Comparison.Row row : panel.rows()) {
            List<Preemptions.Totals> totals =
                    row.portraits().stream().map(p -> p.preemptions().totals()).toList();
            long decisions =
                    totals.stream().mapToLong(Preemptions.Totals::preemptions).sum();
            long moves = totals.stream().mapToLong(Preemptions.Totals::moves).sum();
            long paid = totals.stream().mapToLong(Preemptions.Totals::paid).sum();
            rows.add(List.of(
                    row.label(),
                    Humane.count(mean(totals, Preemptions.Totals::preemptions)),
                    Humane.count(mean(totals, Preemptions.Totals::pauses)),
                    Humane.count(mean(totals, Preemptions.Totals::moves)),
                    Humane.count(mean(totals, Preemptions.Totals::declined)),
                    seconds(totals, Preemptions.Totals::pauseGpuMillis),
                    seconds(totals, Preemptions.Totals::reloadGpuMillis),
                    seconds(totals, Preemptions.Totals::lostGpuMillis),
                    seconds(totals, Preemptions.Totals::costMillis),
                    seconds(totals, Preemptions.Totals::gainMillis),
                    decisions > moves ? Humane.percent((double) paid / (decisions - moves)) : "–"));
        }
        return new Sheet(
                "What the pauses came to",
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
                        "paid in hindsight"),
                rows);
    }

    private static double mean(List<Preemptions.Totals> totals, ToLongFunction<Preemptions.Totals> figure) {
        return totals.stream().mapToLong(figure).average().orElse(0);
    }

    private static String seconds(List<Preemptions.Totals> totals, ToLongFunction<Preemptions.Totals> millis) {
        return Humane.time(mean(totals, millis) / 1000);
    }

    /** The costliest in GPU-time, and those that lost most in hindsight; nothing where nobody was paused. */
    public static List<Sheet> standingOut(Comparison.Group panel) {
        List<Entry> all = new ArrayList<>();
        for (Comparison.Row row : panel.rows()) {
            var portrait = row.portraits().get(0);
            portrait.preemptions()
                    .kept()
                    .forEach(p ->
                            all.add(new Entry(row.label(), portrait.series().beginMillis(), p)));
        }
        if (all.isEmpty()) {
            return List.of();
        }
        Comparator<Entry> byTime = Comparator.comparingLong((Entry e) -> e.preemption.atMillis())
                .thenComparingLong(e -> e.preemption.beneficiary());
        return List.of(
                sheet(
                        "The decisions that cost the most GPU-time",
                        all,
                        Comparator.comparingLong((Entry e) -> -e.preemption.gpuMillis())
                                .thenComparing(byTime)),
                sheet(
                        "The decisions that lost most in hindsight",
                        all.stream().filter(e -> !e.preemption.move()).toList(),
                        Comparator.comparingLong((Entry e) -> e.preemption.gainMillis() - e.preemption.costMillis())
                                .thenComparing(byTime)));
    }

    private static Sheet sheet(String title, List<Entry> entries, Comparator<Entry> order) {
        List<List<String>> rows = entries.stream()
                .sorted(order)
                .limit(STANDING_OUT)
                .map(LedgerSheets::line)
                .toList();
        return new Sheet(
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

    private static List<String> line(Entry entry) {
        Preemption p = entry.preemption;
        String victims = p.victims().stream()
                .limit(3)
                .map(v -> job(v.id(), v.name(), v.gpus()))
                .collect(Collectors.joining(", "));
        int more = p.victims().size() - 3;
        return List.of(
                entry.policy,
                Humane.time((p.atMillis() - entry.begin) / 1000.0),
                victims + (more > 0 ? " and " + more + " more" : ""),
                p.move() ? "other GPUs" : job(p.beneficiary(), p.beneficiaryName(), p.beneficiaryGpus()),
                Humane.time(p.gpuMillis() / 1000.0),
                Humane.time(p.costMillis() / 1000.0),
                p.move() ? "–" : Humane.time(p.gainMillis() / 1000.0),
                p.weighed() ? Humane.time(p.expectedCostMillis() / 1000.0) : "–",
                p.weighed() ? Humane.time(p.expectedGainMillis() / 1000.0) : "–");
    }

    private static String job(long id, String name, int gpus) {
        String shown = name.codePointCount(0, name.length()) > 24
                ? name.substring(0, name.offsetByCodePoints(0, 23)) + "…"
                : name;
        boolean telling = name.equals("job-" + id) || name.equals(Long.toString(id));
        return (telling ? shown : id + " " + shown) + " (" + Humane.amount(gpus, "GPU") + ")";
    }
}
