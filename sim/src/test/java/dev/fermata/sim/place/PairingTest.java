package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Pairing;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.laws.World;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PairingTest {
    /** First come first served among those that fit, beside others where it pays. */
    private static final class Paired implements Policy {
        private final Pairing pairing;
        private final Composed loop;

        Paired(int maxJobs, double margin) {
            pairing = new Pairing(new BestFit(), maxJobs, view -> margin);
            loop = new Composed(new ArrivalOrder(false), pairing, null, false);
        }

        @Override
        public Plan decide(View view) {
            return loop.decide(view);
        }

        @Override
        public Verdict explain(View view, JobView job) {
            return loop.explain(view, job);
        }
    }

    private final List<TrueJob> jobs = new ArrayList<>();
    private final Map<Long, Allocation> placed = new HashMap<>();
    private final Map<Long, Long> startedAt = new HashMap<>();
    private final Map<Long, Long> endedAt = new HashMap<>();

    private PairingTest job(int gpus, int memoryMib, double busy, long submitSecond) {
        return job(gpus, memoryMib, busy, submitSecond, Map.of());
    }

    /** Models are called {@code m1}, {@code m2} … in the order of the jobs. */
    private PairingTest job(int gpus, int memoryMib, double busy, long submitSecond, Map<String, Double> beside) {
        long id = jobs.size() + 1L;
        Job job = Job.builder(id, gpus)
                .demand(new Demand(gpus, gpus, memoryMib, 1000, List.of(), 0, 0))
                .profile(new Profile("m" + id, 100, busy, 0, 1, memoryMib, Map.of(), beside))
                .build();
        jobs.add(TrueJob.of(job, submitSecond * 1000, 100_000));
        return this;
    }

    private void run(String cluster, int maxJobs, double margin) {
        run(ClusterSpec.parse(cluster), new Workload("pairs", jobs), Faults.Rates.NONE, 1, new Paired(maxJobs, margin));
    }

    private void run(Topology topology, Workload workload, Faults.Rates faults, long seed, Policy policy) {
        SimulatedEngine engine = new SimulatedEngine(topology, new Faults(topology, faults, seed));
        Scheduler scheduler =
                new Scheduler(topology, policy, Estimators.parse("oracle").create(engine, seed), GuardMode.FULL, true);
        new Simulation(workload, scheduler, engine, (now, fact) -> {
                    assertThat(fact).isNotInstanceOf(Fact.Rejected.class);
                    if (fact instanceof Fact.Started f) {
                        placed.put(f.jobId(), f.allocation());
                        startedAt.put(f.jobId(), now);
                    } else if (fact instanceof Fact.Left f) {
                        endedAt.put(f.jobId(), now);
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
    void anIdleJobIsJoinedInTheSameDecision() {
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
    void theMarginDecidesWhatIsWorthIt() {
        job(1, 1000, 0.8, 0).job(1, 1000, 0.8, 1).run("1x1:V100", 2, 0.08);
        assertThat(startedAt.get(2L)).isEqualTo(1000);

        run("1x1:V100", 2, 0.1);
        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** The formula expects 1.74 of one alone; 0.5 each was measured. */
    @Test
    void aPairThatWasSeenNotToPayIsNotFormed() {
        job(1, 1000, 0.1, 0, Map.of("m2", 2.0))
                .job(1, 1000, 0.1, 1, Map.of("m1", 2.0))
                .run("1x1:V100", 2, 0);

        assertThat(startedAt.get(2L)).isEqualTo(100_000);
    }

    /** The formula expects a loss; both at 0.8 of alone were measured, and that is how they run. */
    @Test
    void aPairThatIsBetterThanThoughtIsFormed() {
        job(1, 1000, 1.0, 0, Map.of("m2", 1.25))
                .job(1, 1000, 1.0, 0, Map.of("m1", 1.25))
                .run("1x1:V100", 2, 0.5);

        assertThat(startedAt.get(2L)).isZero();
        assertThat(endedAt.get(1L)).isEqualTo(125_000);
    }

    @Test
    void whatWasMeasuredOfThoseWhoAreThereIsEnough() {
        job(1, 1000, 0.9, 0, Map.of("m3", 1.0)).job(1, 1000, 0.8, 0);
        job(1, 1000, 0.9, 1).run("1x2:V100", 2, 0.2);

        assertThat(placed.get(3L)).isEqualTo(placed.get(1L));
    }

    @Test
    void whoWaitsIsLookedAtAgainWhenMoreIsKnownOfIt() {
        job(1, 1000, 1.0, 0).job(1, 1000, 1.0, 1);
        Job second = jobs.get(1).job();
        Job seen = second.toBuilder(2)
                .profile(second.profile().seenBeside(1.0, Map.of("m1", 1.0)))
                .build();
        Workload told = new Workload("pairs", jobs, List.of(new Workload.Request(20_000, new Event.Changed(seen))));
        run(ClusterSpec.parse("1x1:V100"), told, Faults.Rates.NONE, 1, new Paired(2, 0.1));

        assertThat(startedAt.get(2L)).isEqualTo(20_000);
    }

    @Test
    void theLeastBusyIsJoined() {
        job(1, 1000, 0.6, 0).job(1, 1000, 0.2, 0).job(1, 1000, 0.4, 0);
        job(1, 1000, 0.7, 1).run("1x3:V100", 2, 0);

        assertThat(placed.get(4L)).isEqualTo(placed.get(2L));
    }

    @Test
    void memoryIsNeverPromisedTwice() {
        job(1, 30_000, 0.2, 0).job(1, 4000, 0.4, 0);
        job(1, 10_000, 0.3, 1).job(1, 30_000, 0.1, 1).run("1x2:V100", 2, 0);

        assertThat(placed.get(3L)).isEqualTo(placed.get(2L));
        assertThat(startedAt.get(4L)).isGreaterThan(50_000L);
    }

    @Test
    void aJobOfUnknownMemoryIsLeftAlone() {
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

    /** In every odd world: the guard has nothing to refuse, and everybody ends. */
    @Test
    void pairsKeepTheLaws() {
        for (long seed = 1; seed <= 60; seed++) {
            World world = World.of(seed);
            run(world.topology(), world.workload(), world.faults(), seed, new Paired(3, 0.05));
        }
    }

    /** The same where some were seen beside some others, whatever the formula thinks of them. */
    @Test
    void measuredPairsKeepTheLaws() {
        for (long seed = 1; seed <= 60; seed++) {
            World world = World.of(seed);
            Random random = new Random(seed);
            List<TrueJob> seen = world.workload().jobs().stream()
                    .map(job -> seenBesideSome(job, random))
                    .toList();
            Workload workload = new Workload("seen", seen, world.workload().requests());
            run(world.topology(), workload, world.faults(), seed, new Paired(3, 0.05));
        }
    }

    private static TrueJob seenBesideSome(TrueJob job, Random random) {
        Map<String, Double> beside = new HashMap<>();
        for (int model = 0; model < 4; model++) {
            if (random.nextBoolean()) {
                beside.put("model" + model, 1 + 2 * random.nextDouble());
            }
        }
        Profile profile = job.job().profile().named("model" + random.nextInt(4));
        Job known = job.job().toBuilder(job.job().id())
                .profile(profile.seenBeside(profile.busyShare(), beside))
                .build();
        return new TrueJob(
                known, job.submitMillis(), job.durationMillis(), job.peakMemoryMib(), job.costs(), job.end());
    }
}
