package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.order.ShortestOrder;
import dev.fermata.core.policy.place.BreakEvenDelay;
import dev.fermata.core.policy.place.CoLocatingPlacement;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.CostBenefitPreemption;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.TestSimulation.SimulatedRecord;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of earlier searches for victims change no decision: the history is that of a policy that searches again each time. */
class KnownSearchesTest {
    @ParameterizedTest
    @CsvSource({"12x8:V100,2,1", "12x8:V100,1,2", "3x6x4:V100,2,3", "4x8:V100+8x4:A100,2,4"})
    void givesTheHistoryOfSearchesThatRememberNothing(String cluster, int jobsPerGpu, long seed) {
        Topology topology = ClusterSpec.parse(cluster);
        Workload workload = WorkloadSpec.generate("synthetic:jobs=600,load=2,median=4000,trial=0.3", topology, seed);

        List<SimulatedRecord> remembering = history(topology, workload, placement(jobsPerGpu), seed);
        List<SimulatedRecord> forgetful = history(topology, workload, new Forgetful(placement(jobsPerGpu)), seed);

        assertThat(remembering).isEqualTo(forgetful);
    }

    private static Placement placement(int jobsPerGpu) {
        Placement alone = new BreakEvenDelay();
        return jobsPerGpu == 1 ? alone : new CoLocatingPlacement(alone, jobsPerGpu, view -> 0.3);
    }

    private static List<SimulatedRecord> history(Topology topology, Workload workload, Placement placement, long seed) {
        JobOrder order = new ShortestOrder(true);
        CostBenefitPreemption preemption =
                new CostBenefitPreemption(order, (view, rankedJobs, job) -> view.pendingJobs(), 0, 10, true);
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        Scheduler scheduler = new Scheduler(
                topology,
                new ComposedPolicy(order, placement, preemption, false),
                Estimators.parse("oracle").create(engine, seed),
                GuardMode.PLAN,
                true);
        List<SimulatedRecord> history = new ArrayList<>();
        new Simulation(workload, scheduler, engine, (now, entry) -> history.add(new SimulatedRecord(now, entry)))
                .run(() -> false);
        return history;
    }

    /** A placement of which no search may assume that jobs of one size get the same GPUs. */
    private record Forgetful(Placement delegate) implements Placement {
        @Override
        public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
            return delegate.choose(capacity, job, type, gpus, horizon);
        }

        @Override
        public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
            return delegate.requiresOneNode(capacity, job, type, gpus);
        }

        @Override
        public boolean consolidates() {
            return delegate.consolidates();
        }

        @Override
        public LocalityTolerance tolerance() {
            return delegate.tolerance();
        }

        @Override
        public long declinedLossMillis(FreeCapacity capacity, JobView job, int type) {
            return delegate.declinedLossMillis(capacity, job, type);
        }

        @Override
        public boolean allowsSharing() {
            return delegate.allowsSharing();
        }

        @Override
        public @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
            return delegate.placeOn(capacity, job, type, horizon);
        }
    }
}
