package dev.fermata.research.xonar;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes of two V100 and a generated workload, several queues for each seed.
 *
 * @param title for readers
 * @param workload a {@code xonar:} generator
 * @param queuesPerSeed independent queues drawn for each seed
 */
record XonarSetting(String title, int nodes, String workload, int queuesPerSeed) {
    /** A sample: an independent queue or stream of jobs. */
    static final String UNIT = "queue";
    /** What the authors' guard lets two jobs fill of 32 GB. */
    static final int MEMORY_MIB = 32_000;

    /** Ten jobs at once on one node, as the authors had it. */
    static final XonarSetting QUEUES = new XonarSetting("queues of ten jobs", 1, "xonar:", 8);

    static final XonarSetting LONG_QUEUES = new XonarSetting("queues of a hundred jobs", 1, "xonar:jobs=100", 2);

    /** A job a minute is what the node can just do: its queue hardly ever empties. */
    static final XonarSetting STREAM =
            new XonarSetting("a stream of 1,000 jobs, one a minute (Poisson)", 1, "xonar:jobs=1000,gap=60", 4);

    static final XonarSetting CLUSTER = new XonarSetting(
            "eight nodes, a stream of 1,000 jobs, one every 7.5 s (Poisson)", 8, "xonar:jobs=1000,gap=7.5", 1);

    static Topology topology(int nodes) {
        Topology.Builder builder = Topology.builder();
        for (int n = 0; n < nodes; n++) {
            builder.node(new GpuType("V100", MEMORY_MIB, 1.0), 2);
        }
        return builder.build();
    }

    String cluster() {
        return nodes + "x2:V100";
    }

    int queues(int seeds) {
        return seeds * queuesPerSeed;
    }

    /** Runs a policy on every queue, in the order of seeds. */
    List<ExperimentRunner.WorkUnit<CompletionTails>> workUnits(ExperimentRunner runner, String policy) {
        Topology topology = topology(nodes);
        List<ExperimentRunner.WorkUnit<CompletionTails>> workUnits = new ArrayList<>();
        for (long seed : runner.seeds()) {
            for (int q = 0; q < queuesPerSeed; q++) {
                long queueSeed = seed * 1000 + q;
                workUnits.add(new ExperimentRunner.WorkUnit<>(
                        "xonar " + title + ", " + policy + ", queue " + queueSeed, () -> {
                            Workload jobs = WorkloadSpec.generate(workload, topology, queueSeed);
                            return CompletionTails.of(runner.simulate(cluster(), topology, jobs, policy, queueSeed));
                        }));
            }
        }
        return workUnits;
    }
}
