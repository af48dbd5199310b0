package dev.fermata.sim.reproduce.fermata;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.measure.Summary;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.Parameter;
import dev.fermata.sim.reproduce.Reproduction;
import dev.fermata.sim.reproduce.Sheet;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * No paper of its own: the default policy beside those of the five papers on the default workload, which mixes trial and
 * batch jobs, on one type of GPU and on three, with durations known, wrong by a factor of e on average, and unknown.
 */
public final class FermataReproduction implements Reproduction {
    private static final String FERMATA = "fermata";
    private static final List<String> PAPERS = List.of("xion", "fitgpp", "dally", "jps", "xonar");
    private static final List<String> CLUSTERS = List.of("16x8:V100", "4x8:K80+4x8:P100+8x8:V100");
    private static final List<String> ESTIMATORS = List.of("oracle", "noisy:1.0", "none");
    private static final String WORKLOAD = "synthetic";
    private static final List<String> POLICIES =
            List.of("srtf", "srsf", "las", "gittins", "xion", "fitgpp", "dally", "jps", "xonar", FERMATA);

    private record Case(String cluster, String estimator) {
        String words() {
            return WORKLOAD + " on " + cluster + ", durations: " + estimator;
        }
    }

    /** One run: its measures, and how many preemptions there were whose beneficiary started neither on the freed GPUs nor sooner. */
    private record Run(Case where, String policy, Summary summary, int vain) {}

    /** Whoever is promised GPUs others were paused for must be the next to start on them, or start on others sooner. */
    private static final class Promises implements Simulation.Listener {
        private final Map<Long, int[]> promised = new HashMap<>();
        private final Map<Long, Long> givenUpMillis = new HashMap<>();
        private int broken;

        @Override
        public void fact(long nowMillis, Fact fact) {
            if (fact instanceof Fact.Promised promise) {
                promised.put(promise.jobId(), promise.allocation().toArray());
            } else if (fact instanceof Fact.Started started) {
                Long givenUp = givenUpMillis.remove(started.jobId());
                broken += givenUp == null || givenUp == nowMillis ? 0 : 1;
                int[] expected = promised.remove(started.jobId());
                broken += expected == null
                                || Arrays.equals(expected, started.allocation().toArray())
                        ? 0
                        : 1;
            } else if (fact instanceof Fact.Unpromised lost) {
                promised.remove(lost.jobId());
                givenUpMillis.put(lost.jobId(), nowMillis);
            }
        }

        int vain() {
            return broken + promised.size() + givenUpMillis.size();
        }
    }

    @Override
    public String paper() {
        return FERMATA;
    }

    @Override
    public int pieces(int seeds) {
        return CLUSTERS.size() * ESTIMATORS.size() * POLICIES.size() * seeds;
    }

    @Override
    public Chapter run(Lab lab) {
        List<Lab.Piece<Run>> pieces = new ArrayList<>();
        List<Case> cases = new ArrayList<>();
        CLUSTERS.forEach(c -> ESTIMATORS.forEach(e -> cases.add(new Case(c, e))));
        for (Case where : cases) {
            for (String policy : POLICIES) {
                for (long seed : lab.seeds()) {
                    pieces.add(
                            new Lab.Piece<>(policy + " with " + where.estimator, () -> one(lab, where, policy, seed)));
                }
            }
        }
        List<Run> runs = lab.all(pieces);
        List<Sheet> sheets = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (Case where : cases) {
            sheets.add(sheet(where, runs));
            findings.add(lead(where, runs, where.estimator.equals("oracle") ? PAPERS : POLICIES));
        }
        findings.add(kept(runs, lab.seeds().size()));
        return new Chapter(
                FERMATA,
                "Fermata: the five together on the mixed default workload",
                List.of(
                        Parameter.assumed("workload", WORKLOAD + ": 2,000 jobs, load 0.9, 30 % trial jobs"),
                        Parameter.assumed("costs", "pause and load of the model zoo, measured on an H200"),
                        Parameter.assumed("noisy:1.0", "estimates are off by a log-normal factor with sigma 1"),
                        Parameter.assumed("none", "nothing is known about durations")),
                sheets,
                findings);
    }

    private static Run one(Lab lab, Case where, String policy, long seed) {
        Topology topology = ClusterSpec.parse(where.cluster);
        Workload workload = WorkloadSpec.generate(WORKLOAD, topology, seed);
        Promises promises = new Promises();
        Summary summary = lab.simulate(where.cluster, topology, workload, policy, where.estimator, seed, promises)
                .summary();
        return new Run(where, policy, summary, promises.vain());
    }

    private static List<Double> jct(Case where, String policy, List<Run> runs) {
        return runs.stream()
                .filter(r -> r.where.equals(where) && r.policy.equals(policy))
                .map(r -> r.summary.all().jct().mean())
                .toList();
    }

    /** How much shorter the mean JCT is than under the best of the others. */
    private static Finding lead(Case where, List<Run> runs, List<String> others) {
        String best = "";
        double least = Double.POSITIVE_INFINITY;
        for (String other : others) {
            double mean = Estimate.of(jct(where, other, runs)).mean();
            if (!other.equals(FERMATA) && mean < least) {
                least = mean;
                best = other;
            }
        }
        List<Double> ours = jct(where, FERMATA, runs);
        List<Double> theirs = jct(where, best, runs);
        List<Double> leads = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            leads.add(1 - ours.get(i) / theirs.get(i));
        }
        Estimate lead = Estimate.of(leads);
        String among =
                others.equals(PAPERS) ? "the best of the five papers' own policies" : "the best of all in the table";
        return new Finding(
                FERMATA,
                "meanJctReduction",
                FERMATA,
                best,
                OptionalDouble.empty(),
                lead,
                lead.mean() > (others.equals(PAPERS) ? 0 : -Finding.ALLOWED_LAG),
                leads.size(),
                where.words(),
                "against " + among);
    }

    private static Finding kept(List<Run> runs, int seeds) {
        int vain = runs.stream()
                .filter(r -> r.policy.equals(FERMATA))
                .mapToInt(Run::vain)
                .sum();
        long pauses = runs.stream()
                .filter(r -> r.policy.equals(FERMATA))
                .mapToLong(r -> r.summary.preemptions())
                .sum();
        return new Finding(
                FERMATA,
                "vainEvictionsCount",
                FERMATA,
                "",
                OptionalDouble.empty(),
                new Estimate(vain, 0),
                vain == 0,
                seeds,
                "all settings together",
                "promises of freed GPUs that ended neither in a start on them nor in a sooner one, in runs with "
                        + pauses + " pauses");
    }

    private static Sheet sheet(Case where, List<Run> runs) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : POLICIES) {
            List<Run> own = runs.stream()
                    .filter(r -> r.where.equals(where) && r.policy.equals(policy))
                    .toList();
            rows.add(List.of(
                    policy,
                    number(mean(own, s -> s.all().jct().mean())),
                    number(mean(own, s -> s.all().waiting().mean())),
                    number(mean(own, s -> s.all().jct().p95())),
                    String.format(
                            Locale.ROOT,
                            "%.2f",
                            mean(own, s -> s.trial().slowdown().p95())),
                    String.format(
                            Locale.ROOT,
                            "%.2f",
                            mean(own, s -> s.batch().slowdown().p95())),
                    number(mean(own, Summary::makespanSeconds)),
                    number(mean(own, Summary::preemptions))));
        }
        return new Sheet(
                where.words(),
                List.of(
                        "policy",
                        "mean JCT s",
                        "mean wait s",
                        "p95 JCT s",
                        "trial p95 slowdown",
                        "batch p95 slowdown",
                        "makespan s",
                        "preemptions"),
                rows);
    }

    private static double mean(List<Run> runs, ToDoubleFunction<Summary> measure) {
        return runs.stream()
                .mapToDouble(r -> measure.applyAsDouble(r.summary))
                .average()
                .orElse(0);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
