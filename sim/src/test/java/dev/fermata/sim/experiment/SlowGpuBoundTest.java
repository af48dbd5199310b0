package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlowGpuBoundTest {
    /** On a slow GPU the network costs relatively less, so a job loses less than its GPU's speed says. */
    @Test
    void aNetworkBoundJobDoesNotBeatTheBoundOnSlowGpus() {
        Network slow = new Network(new Link(150, 1), new Link(1, 5), new Link(1, 20));
        Topology topology = ClusterSpec.parse("4x4:P100", slow);
        Profile bert = ModelCatalogue.named("bert-base").reference();
        Job job = Job.builder(1, 16).profile(bert).build();
        Workload workload = new Workload("one", List.of(SimulatedJob.of(job, 0, 1_000_000)));

        assertThat(LowerBound.meanJctSeconds(workload, topology)).isLessThanOrEqualTo(meanJct(workload, topology));
    }

    /** A long job that no node's CPU can serve is rejected; it must not raise the bound for the others. */
    @Test
    void rejectedJobsDoNotCount() {
        Topology topology = Topology.builder()
                .node("n", dev.fermata.core.model.GpuCatalogue.GENERIC, 4, 4000, 1000)
                .build();
        Job greedy = Job.builder(1, 1)
                .demand(new Demand(1, 1, 0, 1000, List.of(), 8000, 0))
                .build();
        Workload workload = new Workload(
                "two",
                List.of(
                        SimulatedJob.of(greedy, 0, 9_000_000),
                        SimulatedJob.of(Job.builder(2, 1).build(), 0, 1000)));

        assertThat(LowerBound.meanJctSeconds(workload, topology)).isLessThanOrEqualTo(meanJct(workload, topology));
    }

    @Test
    void everyGeneratedJobFitsAMixedCluster() {
        Topology topology = ClusterSpec.parse("4x4:K80+1x4:V100");
        Workload workload = WorkloadSpec.generate("synthetic:jobs=500,load=1,diurnal=1", topology, 3);
        List<HistoryRecord> rejected = new ArrayList<>();

        new Experiment(
                        "mixed",
                        topology,
                        workload,
                        PolicySpec.parse("sjf"),
                        "oracle",
                        Faults.FaultRates.NONE,
                        1,
                        GuardMode.PLAN)
                .run(0, (now, record) -> {
                    if (record instanceof HistoryRecord.JobRejected) {
                        rejected.add(record);
                    }
                });

        assertThat(rejected).isEmpty();
    }

    private static double meanJct(Workload workload, Topology topology) {
        return new Experiment(
                        "x",
                        topology,
                        workload,
                        PolicySpec.parse("fifo"),
                        "oracle",
                        Faults.FaultRates.NONE,
                        1,
                        GuardMode.FULL)
                .run(0, Experiment.RunObserver.NONE)
                .summary()
                .all()
                .jct()
                .mean();
    }
}
