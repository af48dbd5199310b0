package dev.fermata.research.jps;

import dev.fermata.core.policy.market.Market;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.sim.workload.JpsInstances;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Instances beyond the grid, up to 20 jobs, 128 workers and six types; all are solved exactly. */
final class JpsLargeGrid {
    /**
     * @param types of workers; instances with speeds of models have three
     * @param plain whether the dynamic programme without bounds ends within seconds
     */
    record LargeSize(int jobs, int workers, int types, boolean plain) {
        String label() {
            return jobs + " jobs, " + workers + " workers, " + types + " types";
        }
    }

    static final List<LargeSize> SIZES = List.of(
            new LargeSize(8, 32, 3, true),
            new LargeSize(10, 64, 3, true),
            new LargeSize(20, 64, 3, false),
            new LargeSize(20, 128, 3, false),
            new LargeSize(6, 24, 4, true),
            new LargeSize(10, 48, 4, false),
            new LargeSize(20, 96, 4, false),
            new LargeSize(6, 24, 6, false),
            new LargeSize(10, 42, 6, false));

    private final List<List<JpsGrid.SolvedInstance>> solved;

    private JpsLargeGrid(List<List<JpsGrid.SolvedInstance>> solved) {
        this.solved = solved;
    }

    static JpsLargeGrid run(ExperimentRunner runner) {
        List<ExperimentRunner.WorkUnit<List<JpsGrid.SolvedInstance>>> workUnits = new ArrayList<>();
        for (LargeSize size : SIZES) {
            workUnits.add(new ExperimentRunner.WorkUnit<>(size.label(), () -> solve(size, runner.seeds())));
        }
        return new JpsLargeGrid(runner.runAll(workUnits));
    }

    static List<JpsGrid.SolvedInstance> solve(LargeSize size, List<Long> seeds) {
        List<JpsGrid.JpsVariant> plainScheme = JpsGrid.variants().stream()
                .filter(variant -> variant.name().equals(JpsGrid.PLAIN_SCHEME))
                .toList();
        List<JpsGrid.SolvedInstance> found = new ArrayList<>();
        for (JpsInstances.InstanceClass instanceClass : instanceClasses(size)) {
            for (long seed : seeds) {
                Market market = JpsInstances.draw(instanceClass, size.jobs, size.workers, size.types, seed);
                found.add(JpsGrid.solve(market, instanceClass, seed, size.plain, plainScheme));
            }
        }
        return found;
    }

    private static List<JpsInstances.InstanceClass> instanceClasses(LargeSize size) {
        return size.types == 3
                ? Arrays.asList(JpsInstances.InstanceClass.values())
                : List.of(JpsInstances.InstanceClass.UNSTRUCTURED);
    }

    /** The instances of one size. */
    List<JpsGrid.SolvedInstance> of(LargeSize size) {
        return solved.get(SIZES.indexOf(size));
    }

    ResultTable table() {
        List<List<String>> rows = new ArrayList<>();
        for (LargeSize size : SIZES) {
            List<JpsGrid.SolvedInstance> subset = of(size);
            rows.add(List.of(
                    size.label(),
                    Integer.toString(subset.size()),
                    JpsGridTables.percent(
                            JpsGridTables.mean(subset, x -> x.jps().gap())),
                    JpsGridTables.percent(
                            JpsGridTables.mean(subset, x -> x.outcomes().get(0).gap())),
                    size.plain ? number(subset, x -> x.millis().plain()) : "–",
                    number(subset, x -> x.millis().bounded()),
                    number(subset, x -> x.millis().jps()),
                    JpsGridTables.text("%.1f", JpsGridTables.speedup(subset))));
        }
        return new ResultTable(
                "Larger instances: JPS and the exact market (mean CPU milliseconds)",
                List.of(
                        "size",
                        "count",
                        "gap",
                        "gap, plain scheme",
                        "programme ms",
                        "bounded ms",
                        "JPS ms",
                        "times faster"),
                rows);
    }

    private static String number(List<JpsGrid.SolvedInstance> subset, ToDoubleFunction<JpsGrid.SolvedInstance> value) {
        return JpsGridTables.text("%.2f", JpsGridTables.mean(subset, value));
    }
}
