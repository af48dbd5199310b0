package dev.fermata.sim.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.sim.Play;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What queues promise to people: their guarantees soon, no GPU idle for nothing, everybody's turn. */
class QueueLawsTest {
    private static final int SEEDS = 12;
    private static final List<QueueRule> HALVES = List.of(
            new QueueRule("research", 4, QueueRule.NO_LIMIT, 1), new QueueRule("product", 4, QueueRule.NO_LIMIT, 1));

    static Stream<String> catalogue() {
        return Catalogue.names().stream();
    }

    static Stream<String> eager() {
        return LawsTest.policies()
                .filter(policy ->
                        !Habits.of(policy).waits() && !Habits.of(policy).shares());
    }

    private static Job job(long id, int gpus, String queue, Costs costs) {
        return Job.builder(id, gpus).queue(queue).costs(costs).build();
    }

    /** However the policy orders jobs: what was lent is back when those who borrowed have saved their work. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aGuaranteeIsMetAsSoonAsBorrowersHaveLeft(String policy) {
        Play play = Play.on("2x4", policy).request(0, new Event.QueuesSet(HALVES));
        Costs costs = new Costs(5_000, 0, 0, 0);
        for (int id = 1; id <= 12; id++) {
            play.job(job(id, 1, "research", costs), 0, 5_000);
        }
        for (int id = 13; id <= 16; id++) {
            play.job(job(id, 1, "product", costs), 1000, 700);
        }
        play.run();
        for (int id = 13; id <= 16; id++) {
            assertThat(play.startedMillis(id, 1))
                    .as("job %d under %s", id, policy)
                    .isLessThanOrEqualTo(1_005_000);
        }
    }

    /** With jobs of one GPU and no limits, shares decide who starts, never whether somebody does. */
    @ParameterizedTest
    @MethodSource("eager")
    void noGpuIdlesWhileAJobWaits(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            World world = single(GatedWorld.shared(seed));
            new Ring(
                            world,
                            policy,
                            (now, news, decision, scheduler) -> {
                                int free = scheduler.view().space().available(0, Horizon.NOW);
                                for (JobView job : free > 0 ? scheduler.jobs() : List.<JobView>of()) {
                                    assertThat(job.state() == JobState.PENDING && !job.promised())
                                            .as(
                                                    "at %d, seed %d, %s: %s waits beside %d GPUs, %s",
                                                    now, world.seed(), policy, job, free, scheduler.explain(job.id()))
                                            .isFalse();
                                }
                            },
                            false)
                    .run();
        }
    }

    private static World single(World world) {
        List<TrueJob> jobs = world.workload().jobs().stream()
                .map(job -> TrueJob.of(job.job().withDemand(Demand.gpus(1)), job.submitMillis(), job.durationMillis()))
                .toList();
        return new World(
                world.seed(),
                world.topology(),
                new Workload("single", jobs),
                "oracle",
                world.faults(),
                world.cancels(),
                world.wishes(),
                false);
    }

    /** A gang as large as the cluster, in a queue with half of it, against an endless stream of small jobs. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aGangLargerThanItsShareRunsWhileOthersKeepComing(String policy) {
        Play play = Play.on("1x4", policy)
                .request(
                        0,
                        new Event.QueuesSet(List.of(
                                new QueueRule("research", 0, QueueRule.NO_LIMIT, 1),
                                new QueueRule("product", 0, QueueRule.NO_LIMIT, 1))));
        for (int i = 0; i < 400; i++) {
            play.job(job(i + 2, 1, "product", Costs.NONE), i * 30L, 110 + i % 40);
        }
        play.job(job(1, 4, "research", Costs.NONE), 100, 50);
        play.run();
        assertThat(play.startedMillis(1, 1)).as(policy).isLessThan(1_200_000);
    }

    private static final List<QueueRule> EQUALS = List.of(
            new QueueRule("research", 0, QueueRule.NO_LIMIT, 1), new QueueRule("product", 0, QueueRule.NO_LIMIT, 1));

    /** One GPU for hours that cannot be had, a small job every minute, and a gang that wants all four. */
    private static Play gangBesideALongJob(String policy) {
        Play play = Play.on("1x4", policy).request(0, new Event.QueuesSet(EQUALS));
        Job endless = Job.builder(1, 1).queue("product").maxPreemptions(0).build();
        play.job(endless, 0, 15_000).job(job(2, 4, "research", Costs.NONE), 30, 50);
        for (int i = 1; i <= 180; i++) {
            play.job(job(i + 2, 1, "product", Costs.NONE), i * 60L, 50);
        }
        return play;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangForWhichTooFewGpusAreHealthyHoldsNobodyBack(String policy) {
        Play play = gangBesideALongJob(policy)
                .request(0, new Event.GpuDown(3))
                .request(14_000, new Event.GpuUp(3))
                .run();
        for (int i = 1; i <= 180; i++) {
            assertThat(play.startedMillis(i + 2, 1)).as("job %d", i + 2).isLessThanOrEqualTo((i + 1) * 60_000L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangThatCannotBeServedSoonLetsOthersGoOn(String policy) {
        Play play = gangBesideALongJob(policy).run();
        for (int i = 1; i <= 180; i++) {
            assertThat(play.startedMillis(i + 2, 1)).as("job %d", i + 2).isLessThanOrEqualTo(i * 120_000L + 900_000);
        }
        assertThat(play.startedMillis(2, 1)).isLessThanOrEqualTo(15_100_000);
    }

    /** Others run longer than a first turn lasts: a later one is long enough. */
    @ParameterizedTest
    @ValueSource(strings = {"fermata", "sjf"})
    void aGangRunsThoughOthersRunLongerThanItsFirstTurn(String policy) {
        Play play = Play.on("1x4", policy).request(0, new Event.QueuesSet(EQUALS));
        play.job(job(1, 4, "research", Costs.NONE), 10, 50);
        for (int i = 0; i < 60; i++) {
            Job job = Job.builder(i + 2, 1).queue("product").maxPreemptions(0).build();
            play.job(job, i < 4 ? 0 : i * 500L, 3000);
        }
        play.run();
        assertThat(play.startedMillis(1, 1)).isLessThan(18_000_000);
    }
}
