package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.CoLocatingPlacement;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.invariants.RandomScenario;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CoLocatedPlacementTest {
    /** First come, first served among jobs that fit, co-located where it pays. */
    private static final class CoLocatingPolicy implements Policy {
        private final CoLocatingPlacement placement;
        private final ComposedPolicy policy;

        CoLocatingPolicy(int maxJobs, double margin) {
            placement = new CoLocatingPlacement(new BestFit(), maxJobs, view -> margin);
            policy = new ComposedPolicy(new ArrivalOrder(false), placement, null, false);
        }

        @Override
        public Plan decide(View view) {
            return policy.decide(view);
        }

        @Override
        public PendingReason explain(View view, JobView job) {
            return policy.explain(view, job);
        }
    }

    private final List<SimulatedJob> jobs = new ArrayList<>();
    private final Map<Long, Allocation> placed = new HashMap<>();
    private final Map<Long, Long> startedAt = new HashMap<>();
    private final Map<Long, Long> endedAt = new HashMap<>();

    private CoLocatedPlacementTest job(int gpus, int memoryMib, double busy, long submitSecond) {
        return job(gpus, memoryMib, busy, submitSecond, Map.of());
    }

    /** Models are called {@code m1}, {@code m2} … in the order of the jobs. */
    private CoLocatedPlacementTest job(
            int gpus, int memoryMib, double busy, long submitSecond, Map<String, Double> coRunSlowdowns) {
        long id = jobs.size() + 1L;
        Job job = Job.builder(id, gpus)
                .demand(new Demand(gpus, gpus, memoryMib, 1000, List.of(), 0, 0))
                .profile(new Profile("m" + id, 100, busy, 0, 1, memoryMib, Map.of(), coRunSlowdowns))
                .build();
        jobs.add(SimulatedJob.of(job, submitSecond * 1000, 100_000));
        return this;
    }

    private void run(String cluster, int maxJobs, double margin) {
        run(
                ClusterSpec.parse(cluster),
                new Workload("pairs", jobs),
                Faults.FaultRates.NONE,
                1,
                new CoLocatingPolicy(maxJobs, margin));
    }

    private void run(Topology topology, Workload workload, Faults.FaultRates faults, long seed, Policy policy) {
        SimulatedEngine engine = new SimulatedEngine(topology, new Faults(topology, faults, seed));
        Scheduler scheduler =
                new Scheduler(topology, policy, Estimators.parse("oracle").create(engine, seed), GuardMode.FULL, true);
        new Simulation(workload, scheduler, engine, (now, record) -> {
                    assertThat(record).isNotInstanceOf(HistoryRecord.ActionRejected.class);
                    if (record instanceof HistoryRecord.Started started) {
                        placed.put(started.jobId(), started.allocation());
                        startedAt.put(started.jobId(), now);
                    } else if (record instanceof HistoryRecord.AttemptEnded) {
                        endedAt.put(record.jobId(), now);
                    }
                })
                .run(() -> false);
    }

    @Test
    void anEmptyGpuComesFirst() {
        job(1, 1000, 0.3, 0).job(1, 1000, 0.3, 0).run("1x2:V100", 2, 0);

        assertThat(placed.get(1L).gpu(0)).isNotEqualTo(placed.get(2L).gpu(0));
    }

    @Test
    void aMostlyIdleJobIsCoLocatedInTheSameDecision() {
        job(1, 1000, 0.3, 0).job(1, 1000, 0.6, 0).run("1x1:V100", 2, 0.1);

        assertThat(startedAt.get(2L)).isZero();
    }

    @Test
    void twoBusyJobsAreKeptApart() {
        job(1, 1000, 1.0, 0).job(1, 1000, 1.0, 1).run("1x1:V100", 2, 0);

        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** Two jobs that are busy 0.8 of the time gain 2/(1.6 x 1.15) - 1 = 0.087 together. */
    @Test
    void theMarginDecidesWhetherCoLocationPays() {
        job(1, 1000, 0.8, 0).job(1, 1000, 0.8, 1).run("1x1:V100", 2, 0.08);
        assertThat(startedAt.get(2L)).isEqualTo(1000);

        run("1x1:V100", 2, 0.1);
        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** The formula expects 1.74 of one alone; 0.5 each was measured. */
    @Test
    void aMeasuredUnprofitableCoRunIsNotFormed() {
        job(1, 1000, 0.1, 0, Map.of("m2", 2.0))
                .job(1, 1000, 0.1, 1, Map.of("m1", 2.0))
                .run("1x1:V100", 2, 0);

        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** The formula expects a loss; both at 0.8 of alone were measured, and that is how they run. */
    @Test
    void aMeasuredProfitableCoRunIsFormed() {
        job(1, 1000, 1.0, 0, Map.of("m2", 1.25))
                .job(1, 1000, 1.0, 0, Map.of("m1", 1.25))
                .run("1x1:V100", 2, 0.5);

        assertThat(startedAt.get(2L)).isZero();
        assertThat(endedAt.get(1L)).isEqualTo(125_000);
    }

    @Test
    void measurementsOfTheCoLocatedJobAreEnough() {
        job(1, 1000, 0.9, 0, Map.of("m3", 1.0)).job(1, 1000, 0.8, 0);
        job(1, 1000, 0.9, 1).run("1x2:V100", 2, 0.2);

        assertThat(placed.get(3L)).isEqualTo(placed.get(1L));
    }

    @Test
    void aPendingJobIsReconsideredWhenItsProfileChanges() {
        job(1, 1000, 1.0, 0).job(1, 1000, 1.0, 1);
        Job second = jobs.get(1).job();
        Job measured = second.toBuilder(2)
                .profile(second.profile().withCoRunMeasurements(1.0, Map.of("m1", 1.0)))
                .build();
        Workload withRequest =
                new Workload("pairs", jobs, List.of(new Workload.TimedRequest(20_000, new Event.JobUpdated(measured))));
        run(ClusterSpec.parse("1x1:V100"), withRequest, Faults.FaultRates.NONE, 1, new CoLocatingPolicy(2, 0.1));

        assertThat(startedAt.get(2L)).isEqualTo(20_000);
    }

    @Test
    void theLeastBusyJobIsShared() {
        job(1, 1000, 0.6, 0).job(1, 1000, 0.2, 0).job(1, 1000, 0.4, 0);
        job(1, 1000, 0.7, 1).run("1x3:V100", 2, 0);

        assertThat(placed.get(4L)).isEqualTo(placed.get(2L));
    }

    @Test
    void memoryIsNeverReservedTwice() {
        job(1, 30_000, 0.2, 0).job(1, 4000, 0.4, 0);
        job(1, 10_000, 0.3, 1).job(1, 30_000, 0.1, 1).run("1x2:V100", 2, 0);

        assertThat(placed.get(3L)).isEqualTo(placed.get(2L));
        assertThat(startedAt.get(4L)).isGreaterThan(50_000L);
    }

    @Test
    void aJobOfUnknownMemoryIsNotCoLocated() {
        job(1, 0, 0.2, 0).job(1, 1000, 0.2, 1).run("1x1:V100", 2, 0);

        assertThat(placed.get(1L).shared()).isFalse();
        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** Slowing all eight GPUs of a gang by sharing one of them is not worth it. */
    @Test
    void aSmallJobDoesNotSlowALargeGang() {
        job(8, 1000, 0.3, 0).job(1, 1000, 0.3, 1).job(8, 1000, 0.5, 2).run("1x8:V100", 2, 0);

        assertThat(startedAt.get(2L)).isGreaterThan(90_000L);
        assertThat(startedAt.get(3L)).isEqualTo(2000);
    }

    @Test
    void aGangTakesEmptyGpusOfTheNodeAndSharesTheRest() {
        job(1, 1000, 0.3, 0).job(2, 1000, 0.5, 1).run("1x2:V100", 2, 0);

        assertThat(startedAt.get(2L)).isEqualTo(1000);
        assertThat(placed.get(2L).size()).isEqualTo(2);
    }

    @Test
    void aGangSharesTheGpusOfOneNode() {
        job(1, 1000, 0.1, 0).job(1, 1000, 0.1, 0).job(1, 1000, 0.2, 0).job(1, 1000, 0.2, 0);
        job(2, 1000, 0.5, 1).run("2x2:V100", 2, 0);

        assertThat(placed.get(5L).nodeCount()).isEqualTo(1);
        assertThat(startedAt.get(5L)).isEqualTo(1000);
    }

    /** In every scenario the guard rejects nothing, and every job ends. */
    @Test
    void coRunsKeepTheInvariants() {
        for (long seed = 1; seed <= 60; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            run(scenario.topology(), scenario.workload(), scenario.faults(), seed, new CoLocatingPolicy(3, 0.05));
        }
    }

    /** The same with measured co-runs, whatever the formula says of them. */
    @Test
    void measuredCoRunsKeepTheInvariants() {
        for (long seed = 1; seed <= 60; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            Random random = new Random(seed);
            List<SimulatedJob> measured = scenario.workload().jobs().stream()
                    .map(job -> withRandomMeasurements(job, random))
                    .toList();
            Workload workload =
                    new Workload("seen", measured, scenario.workload().requests());
            run(scenario.topology(), workload, scenario.faults(), seed, new CoLocatingPolicy(3, 0.05));
        }
    }

    private static SimulatedJob withRandomMeasurements(SimulatedJob job, Random random) {
        Map<String, Double> coRunSlowdowns = new HashMap<>();
        for (int model = 0; model < 4; model++) {
            if (random.nextBoolean()) {
                coRunSlowdowns.put("model" + model, 1 + 2 * random.nextDouble());
            }
        }
        Profile profile = job.job().profile().withName("model" + random.nextInt(4));
        Job known = job.job().toBuilder(job.job().id())
                .profile(profile.withCoRunMeasurements(profile.busyShare(), coRunSlowdowns))
                .build();
        return new SimulatedJob(
                known, job.submitMillis(), job.durationMillis(), job.peakMemoryMib(), job.costs(), job.outcome());
    }
}
