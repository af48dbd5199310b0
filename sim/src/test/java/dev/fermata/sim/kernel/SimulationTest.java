package dev.fermata.sim.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The driver's calls, in their order. */
class SimulationTest {
    /** FIFO that notes when it is called, and the states of the live jobs then. */
    private static final class NotingPolicy implements Policy {
        private final Policy fifo = PolicySpec.parse("fifo").create();
        final List<String> calls = new ArrayList<>();

        @Override
        public Plan decide(View view) {
            calls.add("decide");
            return fifo.decide(view);
        }

        @Override
        public void prepare(View view) {
            List<JobState> states = view.liveJobs().stream().map(JobView::state).toList();
            calls.add("prepare " + states);
        }

        @Override
        public PendingReason explain(View view, JobView job) {
            return fifo.explain(view, job);
        }
    }

    @Test
    void thePolicyWorksAheadOnceAfterEachCycleWhenItsPlanIsCommitted() {
        Topology topology = ClusterSpec.parse("1x1:V100");
        NotingPolicy policy = new NotingPolicy();
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        Scheduler scheduler = new Scheduler(topology, policy, (job, now) -> 1, GuardMode.FULL, true);
        Workload workload = new Workload(
                "two",
                List.of(
                        SimulatedJob.of(Job.builder(1, 1).build(), 0, 10_000),
                        SimulatedJob.of(Job.builder(2, 1).build(), 5000, 10_000)));
        new Simulation(workload, scheduler, engine, (now, record) -> {}).run(() -> false);
        assertThat(policy.calls)
                .startsWith(
                        "decide",
                        "prepare [STARTING]",
                        "decide",
                        "prepare [RUNNING]",
                        "decide",
                        "prepare [RUNNING, PENDING]",
                        "decide",
                        "prepare [STARTING]")
                .endsWith("decide", "prepare []");
    }
}
