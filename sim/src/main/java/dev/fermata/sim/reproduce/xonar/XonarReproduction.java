package dev.fermata.sim.reproduce.xonar;

import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.Parameter;
import dev.fermata.sim.reproduce.Reproduction;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Xonar's experiment: queues of profiled jobs on two GPUs that two jobs may share, under first come first served with one
 * slot, with two slots and no memory guard (whoever does not fit crashes and starts over), with the guard, and under every
 * score of Xonar.
 */
public final class XonarReproduction implements Reproduction {
    static final String XONAR = "xonar";
    static final String FERMATA = "fermata";
    static final String UNGUARDED = "fifo:share=2,guard=false";
    static final String GUARDED = "fifo:share=2";

    /** Another policy here is another row in every sheet. */
    static final List<String> POLICIES = List.of(
            "fifo",
            UNGUARDED,
            GUARDED,
            XONAR,
            "xonar:score=1",
            "xonar:score=2",
            "xonar:score=4",
            "xonar:score=5",
            "xonar:score=6",
            "xonar:score=7",
            "xonar:score=8",
            "xonar:score=new",
            "xonar:max-skip=1000000",
            FERMATA);

    private static final List<Setting> SETTINGS =
            List.of(Setting.QUEUES, Setting.LONG_QUEUES, Setting.STREAM, Setting.CLUSTER);

    /** Where the tail comes from: how long the queue is and lasts, and how long the jobs are beside their boot. */
    private static final List<Setting> SWEEP = List.of(
            new Setting("100 jobs at once", 1, "xonar:jobs=100", 2),
            new Setting("100 jobs, one a minute", 1, "xonar:jobs=100,gap=60", 2),
            new Setting("300 jobs, one a minute", 1, "xonar:jobs=300,gap=60", 2),
            new Setting("1,000 jobs, one a minute", 1, "xonar:jobs=1000,gap=60", 2),
            new Setting("1,000 jobs, one in 70 s", 1, "xonar:jobs=1000,gap=70", 2),
            new Setting("1,000 jobs, one in 100 s", 1, "xonar:jobs=1000,gap=100", 2),
            new Setting("1,000 jobs of a third the length, one in 37 s", 1, "xonar:jobs=1000,gap=37,iterations=33", 2),
            new Setting(
                    "1,000 jobs of twice the length, one in 110 s", 1, "xonar:jobs=1000,gap=110,iterations=200", 2));

    @Override
    public String paper() {
        return XONAR;
    }

    @Override
    public int pieces(int seeds) {
        int pieces = POLICIES.size();
        for (Setting setting : SETTINGS) {
            pieces += POLICIES.size() * setting.queues(seeds);
        }
        for (Setting setting : SWEEP) {
            pieces += 3 * setting.queues(seeds);
        }
        return pieces;
    }

    @Override
    public Chapter run(Lab lab) {
        List<Sheet> sheets = new ArrayList<>();
        Map<String, Double> trial = trial5(lab);
        sheets.add(trialSheet(trial));
        Map<Setting, Map<String, List<Tails>>> all = new LinkedHashMap<>();
        for (Setting setting : SETTINGS) {
            Map<String, List<Tails>> runs = measure(lab, setting, POLICIES);
            all.put(setting, runs);
            List<List<String>> rows = new ArrayList<>();
            runs.forEach((policy, tails) -> rows.add(Tails.row(policy, tails)));
            sheets.add(new Sheet(
                    setting.title() + " (" + setting.queues(lab.seeds().size()) + " of them)", Tails.COLUMNS, rows));
        }
        sheets.add(sweep(lab));
        return new Chapter(
                XONAR,
                "Xonar: Profiling-based Job Orderer for Distributed Deep Learning (IEEE CLOUD 2022)",
                parameters(),
                sheets,
                new XonarFindings(lab.seeds().size(), all, trial).all());
    }

    static <K, V> V find(Map<K, V> map, K key) {
        return java.util.Objects.requireNonNull(map.get(key));
    }

    private static Map<String, List<Tails>> measure(Lab lab, Setting setting, List<String> policies) {
        List<Lab.Piece<Tails>> pieces = new ArrayList<>();
        policies.forEach(policy -> pieces.addAll(setting.pieces(lab, policy)));
        List<Tails> answers = lab.all(pieces);
        Map<String, List<Tails>> byPolicy = new LinkedHashMap<>();
        int each = setting.queues(lab.seeds().size());
        for (int i = 0; i < policies.size(); i++) {
            byPolicy.put(policies.get(i), answers.subList(i * each, (i + 1) * each));
        }
        return byPolicy;
    }

    private static Map<String, Double> trial5(Lab lab) {
        Topology node = Setting.topology(1);
        List<Lab.Piece<Double>> pieces = new ArrayList<>();
        for (String policy : POLICIES) {
            pieces.add(new Lab.Piece<>(
                    "xonar trial5, " + policy,
                    () -> lab.simulate("1x2:V100", node, Trial5.workload(), policy, 1)
                            .summary()
                            .makespanSeconds()));
        }
        List<Double> seconds = lab.all(pieces);
        Map<String, Double> byPolicy = new LinkedHashMap<>();
        for (int i = 0; i < POLICIES.size(); i++) {
            byPolicy.put(POLICIES.get(i), seconds.get(i));
        }
        return byPolicy;
    }

    private static Sheet trialSheet(Map<String, Double> trial) {
        List<List<String>> rows = new ArrayList<>();
        trial.forEach((policy, seconds) -> {
            OptionalDouble measured = Trial5.measuredSeconds(policy);
            rows.add(List.of(
                    policy,
                    String.format(Locale.ROOT, "%.1f", seconds),
                    measured.isPresent() ? String.format(Locale.ROOT, "%.1f", measured.getAsDouble()) : "-",
                    measured.isPresent() ? Tails.percent(seconds / measured.getAsDouble() - 1) : "-"));
        });
        return new Sheet(
                "the authors' trial 5: seconds until ten jobs are done",
                List.of("policy", "simulated", "measured by the authors", "difference"),
                rows);
    }

    private static Sheet sweep(Lab lab) {
        List<List<String>> rows = new ArrayList<>();
        for (Setting setting : SWEEP) {
            Map<String, List<Tails>> runs = measure(lab, setting, List.of(UNGUARDED, GUARDED, XONAR));
            List<Tails> crashing = find(runs, UNGUARDED);
            List<String> row = new ArrayList<>(List.of(setting.title()));
            row.add(String.format(Locale.ROOT, "%.0f", Tails.mean(crashing, Tails::oomFailures)));
            for (ToDoubleFunction<Tails> tail : List.<ToDoubleFunction<Tails>>of(Tails::p95, Tails::p99, Tails::max)) {
                row.add(Tails.percent(
                        Tails.reduction(find(runs, XONAR), crashing, tail).mean()));
            }
            row.add(Tails.percent(
                    Tails.reduction(find(runs, GUARDED), crashing, Tails::max).mean()));
            rows.add(row);
        }
        return new Sheet(
                "the tail against " + UNGUARDED + ", and how much of it the guard alone gives",
                List.of("setting", "OoM of the baseline", "xonar p95", "xonar p99", "xonar max", GUARDED + " max"),
                rows);
    }

    private static List<Parameter> parameters() {
        return List.of(
                Parameter.authorsCode("cluster", "1 node, 2 V100; two jobs fill at most 32,000 MB of a GPU"),
                Parameter.authorsCode("jobs", "2 workers, one on each GPU; 100 batches; 10 in a queue"),
                Parameter.authorsCode("profiles", "active, idle and memory of 29 models x 5 batch sizes, synchronous"),
                Parameter.authorsCode("draw", "even over data set, model and batch size; what OoMs alone drawn again"),
                Parameter.assumed("asynchronous and other option sets", "left out of the draw"),
                Parameter.authorsCode("slots", "2 jobs a GPU"),
                Parameter.authorsCode("score", "3, |(Ac/Ic)(Aj/Ij) - 1|; the others beside it"),
                Parameter.calibrated("boot", "25 s, from the authors' one-slot total of trial 5"),
                Parameter.calibrated(
                        "interference", SpeedModel.INTERFERENCE + " on co-run iterations, from the totals of trial 5"),
                Parameter.assumed(
                        "out of memory", "the newcomer crashes after its boot and goes to the end; given up after 20"),
                Parameter.assumed("max-skip", "20: passed over this often, a job goes next"),
                Parameter.assumed("streams", "Poisson, one job a minute for each node"));
    }
}
