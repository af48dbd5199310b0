package dev.fermata.research.fitgpp;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * FitGpp against blocking first come, first served, and against the two other ways to choose a victim. The abstract gives the
 * three headlines; cluster, distributions and parameters are recalled from the paper without its text at hand, so several
 * settings are shown, and how much each assumption matters.
 */
public final class FitGppReproduction implements Reproduction {
    static final String PAPER = "fitgpp";
    /** Blocking, each job on one node, as under the other three. */
    static final String FIFO = "fifo:place=first-node";
    /** The two with best-fit placement, to see what the first fit of the paper costs. */
    static final String TIGHT_FIFO = "fifo:place=consolidate";

    static final String TIGHT = PAPER + ":place=consolidate";

    /** The other policies that preempt jobs. */
    static final List<String> BASELINES = List.of("lrtp", "rand");
    /** Policies that are compared with the paper's own on its own measures; each is also a row of every table. */
    static final List<String> CHALLENGERS = List.of("fermata");
    /** Plain orders that know run times; rows of every table. */
    static final List<String> PLAIN = List.of("sjf:place=first-node", "srsf:place=first-node");

    private static final String HALVES = "halves=1";
    private static final int NODES = 84;
    private static final int NODE_GPUS = 8;
    private static final long NODE_CPU_MILLI = 32_000;
    private static final long NODE_MIB = 256 * 1024;
    private static final String CLUSTER = "84 nodes of 8 GPUs, 32 CPUs, 256 GiB";

    /** A workload under the name that tables give it. */
    record FitGppSetting(String name, String parameters, boolean calibrated) {}

    static final FitGppSetting MAIN = new FitGppSetting("hand-set", "", false);
    static final FitGppSetting LARGE_TRIALS =
            new FitGppSetting("trial jobs as large as batch jobs", "be-sd=3600,te-gpus=2,te-gpus-sd=2", false);
    static final List<FitGppSetting> SETTINGS = List.of(
            MAIN,
            LARGE_TRIALS,
            new FitGppSetting(
                    "calibrated A",
                    "halves=1,te-mean=900,te-sd=900,be-sd=3600,te-gpus=0.5,te-gpus-sd=0.5,be-gpus=3,be-gpus-sd=3,"
                            + "cpu=8,cpu-sd=8,ram=16,ram-sd=16",
                    true),
            new FitGppSetting(
                    "calibrated B",
                    "halves=1,te-sd=600,be-sd=600,te-gpus=0.5,te-gpus-sd=0.5,be-gpus=3,be-gpus-sd=3,"
                            + "cpu=2,cpu-sd=2,ram=64,ram-sd=64,gp-sd=60",
                    true));

    /** One knob of the main setting changed at a time. */
    static final List<FitGppSetting> CHANGES = List.of(
            new FitGppSetting("10 % trial jobs", "trial=0.1", false),
            new FitGppSetting("50 % trial jobs", "trial=0.5", false),
            new FitGppSetting("70 % trial jobs", "trial=0.7", false),
            new FitGppSetting("grace periods of 1 min", "gp-mean=60,gp-sd=60", false),
            new FitGppSetting("grace periods of 10 min", "gp-mean=600,gp-sd=600", false),
            new FitGppSetting("trial jobs of 10 s and more", "te-min=10", false),
            new FitGppSetting("trial jobs of 2 min and more", "te-min=120", false));

    static final List<String> WEIGHTS = List.of("s=0", "s=1", "s=2", "s=4", "s=8", "s=16");
    static final List<String> BUDGETS = List.of("P=1", "P=2", "P=4", "P=1000");

    private final int jobs;

    public FitGppReproduction() {
        this(8192);
    }

    /** @param jobs in each run; half as many where one knob is changed at a time */
    FitGppReproduction(int jobs) {
        this.jobs = jobs;
    }

    @Override
    public String paper() {
        return PAPER;
    }

    String workload(FitGppSetting setting) {
        int count = CHANGES.contains(setting) ? jobs / 2 : jobs;
        return "fitgpp:jobs=" + count + (setting.parameters.isEmpty() ? "" : "," + setting.parameters);
    }

    static List<String> policies() {
        List<String> all = new ArrayList<>(List.of(FIFO, PAPER));
        all.addAll(BASELINES);
        all.addAll(PLAIN);
        all.addAll(CHALLENGERS);
        return all;
    }

    /** The policies to run on each workload. */
    private Map<String, List<String>> plan() {
        Map<String, List<String>> plan = new LinkedHashMap<>();
        for (FitGppSetting setting : SETTINGS) {
            List<String> policies = new ArrayList<>(policies());
            policies.addAll(List.of(TIGHT_FIFO, TIGHT));
            plan.put(workload(setting), policies);
        }
        List<String> sweptValue = plan.get(workload(LARGE_TRIALS));
        for (int i = 0; sweptValue != null && i < WEIGHTS.size() + BUDGETS.size(); i++) {
            sweptValue.add(PAPER + ":" + (i < WEIGHTS.size() ? WEIGHTS.get(i) : BUDGETS.get(i - WEIGHTS.size())));
        }
        for (FitGppSetting change : CHANGES) {
            plan.put(workload(change), List.of(FIFO, PAPER));
        }
        return plan;
    }

    @Override
    public int workUnits(int seeds) {
        return plan().size() * seeds;
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        Topology topology = topology();
        List<ExperimentRunner.WorkUnit<Map<String, FitGppOutcome>>> workUnits = new ArrayList<>();
        plan().forEach((workload, policies) -> runner.seeds()
                .forEach(seed -> workUnits.add(new ExperimentRunner.WorkUnit<>(
                        workload + " seed " + seed, () -> outcomes(runner, topology, workload, policies, seed)))));
        List<Map<String, FitGppOutcome>> answers = runner.runAll(workUnits);
        FitGppResults outcomes = new FitGppResults(runner.seeds());
        int next = 0;
        for (String workload : plan().keySet()) {
            for (long seed : runner.seeds()) {
                answers.get(next++).forEach((policy, found) -> outcomes.put(workload, policy, seed, found));
            }
        }
        return new ReproductionReport(
                PAPER,
                "FitGpp starts trial jobs at once, on GPUs that small batch jobs leave quickly",
                parameters(),
                new FitGppTables(this, outcomes).all(),
                new FitGppFindings(this, outcomes).all());
    }

    private static Map<String, FitGppOutcome> outcomes(
            ExperimentRunner runner, Topology topology, String workload, List<String> policies, long seed) {
        Workload jobs = WorkloadSpec.generate(workload, topology, seed);
        Map<String, FitGppOutcome> found = new LinkedHashMap<>();
        for (String policy : policies) {
            ReschedulingDelays observed = new ReschedulingDelays();
            String shared = workload.contains(HALVES) ? withSharing(policy) : policy;
            RunResult run = runner.simulate(CLUSTER, topology, jobs, shared, "oracle", seed, observed::read);
            found.put(policy, FitGppOutcome.of(run, observed));
        }
        return found;
    }

    /** The policy with two halves to a GPU; the default policy shares GPUs by itself. */
    static String withSharing(String policy) {
        return CHALLENGERS.contains(policy) ? policy : policy + (policy.contains(":") ? "," : ":") + "share=2";
    }

    static Topology topology() {
        Topology.Builder builder = Topology.builder();
        for (int n = 0; n < NODES; n++) {
            builder.node("node" + n, GpuCatalogue.GENERIC, NODE_GPUS, NODE_CPU_MILLI, NODE_MIB);
        }
        return builder.build();
    }

    private List<ReproductionParameter> parameters() {
        String recalled = " (recalled from the paper, not checked against its text)";
        return List.of(
                ReproductionParameter.published(
                        "trial jobs", "small, watched; batch jobs are paused for them, never the reverse"),
                ReproductionParameter.assumed("cluster", CLUSTER + recalled),
                ReproductionParameter.assumed(
                        "score", "size/max + s * grace/max, s = 4; each job paused at most P = 1 times" + recalled),
                ReproductionParameter.assumed(
                        "trial share and load", "0.3; demand under fifo held at 2.0 x capacity" + recalled),
                ReproductionParameter.assumed(
                        "run times", "trial 5 min up to 30 min, batch 30 min up to 24 h, truncated normal" + recalled),
                ReproductionParameter.assumed("grace periods", "3 min up to 20 min, truncated normal" + recalled),
                ReproductionParameter.assumed("deviations", "equal to the means unless the setting says otherwise"),
                ReproductionParameter.assumed("demands", "trial 1 GPU, batch 2 GPUs, 4 CPUs, 32 GiB"),
                ReproductionParameter.assumed("placement", "every job on one node, the first that has room" + recalled),
                ReproductionParameter.assumed(
                        "half GPUs", "in the calibrated settings; more than 0.75 GPUs are rounded to whole ones"),
                ReproductionParameter.assumed(
                        "shortest job", "1 min; slowdown grows without bound as run times go to 0"),
                ReproductionParameter.assumed("jobs", jobs + " a run; 65536 in the paper" + recalled),
                ReproductionParameter.calibrated(
                        "settings A and B", "found by a search for the abstract's ratios; no evidence for them"));
    }
}
