package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of queues: guarantees are met soon, no GPU idles without need, every job runs at last. */
class QueueInvariantsTest {
    private static final int SEEDS = 12;
    private static final List<QueueRule> HALVES = List.of(
            new QueueRule("research", 4, QueueRule.NO_LIMIT, 1), new QueueRule("product", 4, QueueRule.NO_LIMIT, 1));

    static Stream<String> catalogue() {
        return PolicyCatalogue.names().stream();
    }

    static Stream<String> workConservingPolicies() {
        return SchedulingInvariantsTest.policies()
                .filter(policy -> !PolicyAllowances.of(policy).reserves());
    }

    private static Job job(long id, int gpus, String queue, Costs costs) {
        return Job.builder(id, gpus).queue(queue).costs(costs).build();
    }

    /** However the policy orders jobs: borrowed GPUs are back when the borrowers have saved their work. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aGuaranteeIsMetAsSoonAsBorrowersHaveSaved(String policy) {
        TestSimulation simulation = TestSimulation.on("2x4", policy).request(0, new Event.QueuesSet(HALVES));
        Costs costs = new Costs(5_000, 0, 0, 0);
        for (int id = 1; id <= 12; id++) {
            simulation.job(job(id, 1, "research", costs), 0, 5_000);
        }
        for (int id = 13; id <= 16; id++) {
            simulation.job(job(id, 1, "product", costs), 1000, 700);
        }
        simulation.run();
        for (int id = 13; id <= 16; id++) {
            assertThat(simulation.startedMillis(id, 1))
                    .as("job %d under %s", id, policy)
                    .isLessThanOrEqualTo(1_005_000);
        }
    }

    /** With jobs of one GPU and no limits, shares decide which job starts, never whether one does. */
    @ParameterizedTest
    @MethodSource("workConservingPolicies")
    void noGpuIsIdleWhileAJobIsPending(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = singleGpuJobs(AdmissionScenario.withSharesOnly(seed));
            new CheckedSimulation(
                            scenario,
                            policy,
                            (now, events, decision, scheduler) -> {
                                int free = scheduler.view().capacity().available(0, Horizon.NOW);
                                for (JobView job : free > 0 ? scheduler.jobs() : List.<JobView>of()) {
                                    assertThat(job.state() == JobState.PENDING && !job.hasReservation())
                                            .as(
                                                    "at %d, seed %d, %s: %s waits while %d GPUs are free, %s",
                                                    now,
                                                    scenario.seed(),
                                                    policy,
                                                    job,
                                                    free,
                                                    scheduler.explain(job.id()))
                                            .isFalse();
                                }
                            },
                            false)
                    .run();
        }
    }

    private static RandomScenario singleGpuJobs(RandomScenario scenario) {
        List<SimulatedJob> jobs = scenario.workload().jobs().stream()
                .map(job ->
                        SimulatedJob.of(job.job().withDemand(Demand.gpus(1)), job.submitMillis(), job.durationMillis()))
                .toList();
        return new RandomScenario(
                scenario.seed(),
                scenario.topology(),
                new Workload("single", jobs),
                "oracle",
                scenario.faults(),
                scenario.cancels(),
                scenario.requests(),
                false);
    }

    /** A gang as large as the cluster, in a queue with half of it, against an endless stream of small jobs. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aGangLargerThanItsShareRunsDespiteAStreamOfSmallJobs(String policy) {
        TestSimulation simulation = TestSimulation.on("1x4", policy)
                .request(
                        0,
                        new Event.QueuesSet(List.of(
                                new QueueRule("research", 0, QueueRule.NO_LIMIT, 1),
                                new QueueRule("product", 0, QueueRule.NO_LIMIT, 1))));
        for (int i = 0; i < 400; i++) {
            simulation.job(job(i + 2, 1, "product", Costs.NONE), i * 30L, 110 + i % 40);
        }
        simulation.job(job(1, 4, "research", Costs.NONE), 100, 50);
        simulation.run();
        assertThat(simulation.startedMillis(1, 1)).as(policy).isLessThan(1_200_000);
    }

    private static final List<QueueRule> EQUALS = List.of(
            new QueueRule("research", 0, QueueRule.NO_LIMIT, 1), new QueueRule("product", 0, QueueRule.NO_LIMIT, 1));

    /** One GPU is taken for hours, a small job comes every minute, and a gang needs all four. */
    private static TestSimulation gangWithALongJob(String policy) {
        TestSimulation simulation = TestSimulation.on("1x4", policy).request(0, new Event.QueuesSet(EQUALS));
        Job endless = Job.builder(1, 1).queue("product").maxPreemptions(0).build();
        simulation.job(endless, 0, 15_000).job(job(2, 4, "research", Costs.NONE), 30, 50);
        for (int i = 1; i <= 180; i++) {
            simulation.job(job(i + 2, 1, "product", Costs.NONE), i * 60L, 50);
        }
        return simulation;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangWithTooFewHealthyGpusBlocksNoJob(String policy) {
        TestSimulation simulation = gangWithALongJob(policy)
                .request(0, new Event.GpuDown(3))
                .request(14_000, new Event.GpuUp(3))
                .run();
        for (int i = 1; i <= 180; i++) {
            assertThat(simulation.startedMillis(i + 2, 1)).as("job %d", i + 2).isLessThanOrEqualTo((i + 1) * 60_000L);
        }
    }

    /** Half of the cluster is drained: a gang that needs all of it gets nothing kept. */
    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangWithTooFewSchedulableGpusBlocksNoJob(String policy) {
        TestSimulation simulation = TestSimulation.on("2x2", policy)
                .request(0, new Event.QueuesSet(EQUALS))
                .request(0, new Event.NodeDrained(1))
                .request(14_000, new Event.NodeUndrained(1));
        simulation.job(job(2, 4, "research", Costs.NONE), 30, 50);
        for (int i = 1; i <= 180; i++) {
            simulation.job(job(i + 2, 1, "product", Costs.NONE), i * 60L, 50);
        }
        simulation.run();
        for (int i = 1; i <= 180; i++) {
            assertThat(simulation.startedMillis(i + 2, 1)).as("job %d", i + 2).isLessThanOrEqualTo((i + 1) * 60_000L);
        }
        assertThat(simulation.startedMillis(2, 1)).isGreaterThanOrEqualTo(14_000_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangThatCannotStartSoonDoesNotBlockOthers(String policy) {
        TestSimulation simulation = gangWithALongJob(policy).run();
        for (int i = 1; i <= 180; i++) {
            assertThat(simulation.startedMillis(i + 2, 1))
                    .as("job %d", i + 2)
                    .isLessThanOrEqualTo(i * 120_000L + 900_000);
        }
        assertThat(simulation.startedMillis(2, 1)).isLessThanOrEqualTo(15_100_000);
    }

    /** Other jobs outlast the first reservation: a later one is long enough. */
    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangRunsAlthoughOtherJobsOutlastItsFirstReservation(String policy) {
        TestSimulation simulation = TestSimulation.on("1x4", policy).request(0, new Event.QueuesSet(EQUALS));
        simulation.job(job(1, 4, "research", Costs.NONE), 10, 50);
        for (int i = 0; i < 60; i++) {
            Job job = Job.builder(i + 2, 1).queue("product").maxPreemptions(0).build();
            simulation.job(job, i < 4 ? 0 : i * 500L, 3000);
        }
        simulation.run();
        assertThat(simulation.startedMillis(1, 1)).isLessThan(18_000_000);
    }
}
