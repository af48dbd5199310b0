package dev.fermata.sim.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.LedgerImage.Gpus;
import dev.fermata.core.contract.LedgerImage.Page;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.Counted;
import dev.fermata.core.estimate.History;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Forecasts that can be told by hand. */
class StartForecastTest {
    private static final long NOW = 1_000_000;
    private static final Costs COSTS = new Costs(4_000, 10_000, 5_000, 0);

    private final Topology one =
            Topology.builder().rack().node(GpuCatalogue.named("V100"), 1).build();
    private final List<Page> pages = new ArrayList<>();
    private final Map<Long, Belief> beliefs = new HashMap<>();

    private static Job job(long id) {
        return Job.builder(id, 1).costs(COSTS).build();
    }

    private void add(Job job, JobState state, long since, long paceMicro, boolean onHold, @Nullable Gpus held) {
        pages.add(new Page(
                job,
                state,
                held == null ? 0 : 1,
                id(job),
                id(job),
                id(job),
                since,
                state == JobState.STARTING ? 0 : since,
                0,
                0,
                0,
                0,
                paceMicro,
                since,
                0,
                0,
                0,
                false,
                onHold,
                held,
                null,
                null));
    }

    private static long id(Job job) {
        return job.id();
    }

    private void waits(long id, long needs) {
        add(job(id), JobState.PENDING, 0, 0, false, null);
        beliefs.put(id, Belief.certain(0, needs, COSTS));
    }

    private void runs(long id, long since, long left) {
        add(job(id), JobState.RUNNING, since, Pace.UNIT, false, new Gpus(List.of(0), false));
        beliefs.put(id, Belief.certain(NOW - since, left, COSTS));
    }

    private final List<Arrival> recent = new ArrayList<>();
    private long served;

    private List<ExpectedStart> foresee(String policy, int scenarios, Job... newcomers) {
        LedgerImage image = new LedgerImage(NOW, pages, List.of(), List.of(), List.of());
        return StartForecast.of(
                new LiveState(one, PolicySpec.parse(policy), image, served, beliefs, List.of(newcomers), recent, NOW),
                scenarios);
    }

    @Test
    void whoComesLaterStandsInTheWayOnlyWhereThePolicyLetsHim() {
        runs(1, NOW - 30_000, 100_000);
        waits(2, 50_000);
        for (int i = 0; i < 8; i++) {
            recent.add(new Arrival(job(100 + i), Belief.certain(0, 10_000, COSTS), 5_000L * (i + 1)));
        }
        ExpectedStart first = foresee("fifo", 29).get(0);
        assertThat(first.startsMillis()).as("nobody overtakes him").containsOnly(NOW + 100_000);
        ExpectedStart overtaken = foresee("sjf", 29).get(0);
        assertThat(overtaken.quantileMillis(0.5))
                .as("about eight shorter jobs, each loading for 10 s and running for 10 s, go first")
                .isBetween(NOW + 100_000 + 5 * 20_000, NOW + 100_000 + 11 * 20_000);
        assertThat(overtaken.quantileMillis(0.9)).isGreaterThan(overtaken.quantileMillis(0.5));
    }

    @Test
    void oneGpuFirstComeFirstServed() {
        runs(1, NOW - 30_000, 100_000);
        waits(2, 50_000);
        waits(3, 20_000);
        List<ExpectedStart> starts = foresee("fifo", 3);
        assertThat(starts).extracting(ExpectedStart::jobId).containsExactly(2L, 3L);
        assertThat(starts.get(0).startsMillis()).containsOnly(NOW + 100_000);
        assertThat(starts.get(1).quantileMillis(0.5)).isEqualTo(NOW + 100_000 + 10_000 + 50_000);
        assertThat(starts.get(1).quantileMillis(0.9)).isEqualTo(NOW + 100_000 + 10_000 + 50_000);
    }

    @Test
    void shortestFirstTurnsThemAround() {
        runs(1, NOW - 30_000, 100_000);
        waits(2, 50_000);
        waits(3, 20_000);
        List<ExpectedStart> starts = foresee("sjf", 1);
        assertThat(starts.get(1).startsMillis()).containsExactly(NOW + 100_000);
        assertThat(starts.get(0).startsMillis()).containsExactly(NOW + 100_000 + 10_000 + 20_000);
    }

    @Test
    void anAttemptThatIsStillLoadingLoadsOnlyWhatIsLeft() {
        add(job(1), JobState.STARTING, NOW - 7_000, 0, false, new Gpus(List.of(0), false));
        beliefs.put(1L, Belief.certain(0, 60_000, COSTS));
        waits(2, 1_000);
        assertThat(foresee("fifo", 1).get(0).startsMillis()).containsExactly(NOW + 3_000 + 60_000);
    }

    @Test
    void anAttemptThatIsLeavingLeavesWhenItHasSaved() {
        add(job(1), JobState.PAUSING, NOW - 1_500, 0, false, new Gpus(List.of(0), false));
        beliefs.put(1L, Belief.certain(90_000, 10_000, COSTS));
        waits(2, 1_000);
        ExpectedStart start = foresee("sjf", 1).get(0);
        assertThat(start.startsMillis()).containsExactly(NOW + 2_500);
    }

    @Test
    void aNewcomerPausesWhomThePolicyPausesAndTheCostIsSaid() {
        runs(1, NOW - 300_000, 10_000_000);
        beliefs.put(7L, Belief.certain(0, 10_000, COSTS));
        ExpectedStart start = foresee("xion", 2, job(7)).get(0);
        assertThat(start.startsMillis()).containsOnly(NOW + COSTS.pauseMillis());
        assertThat(start.pausing()).isEqualTo(2);
        assertThat(start.victims()).containsExactly(1L);
        assertThat(start.gainMillis()).isGreaterThan(start.costMillis());
        assertThat(start.costMillis()).isPositive();
    }

    /** Whoever has served many since somebody waits expects as many to come, whom a pause would delay too. */
    @Test
    void aPauseThatThePolicyDeclinesForTheSakeOfOthersIsNotForeseen() {
        runs(1, NOW - 300_000, 100_000);
        waits(2, 10_000);
        waits(3, 90_000);
        ExpectedStart first = foresee("fermata", 1).get(0);
        assertThat(first.victims()).containsExactly(1L);
        served = 1_000;
        ExpectedStart then = foresee("fermata", 1).get(0);
        assertThat(then.victims()).isEmpty();
        assertThat(then.startsMillis()).containsExactly(NOW + 100_000);
    }

    @Test
    void nothingIsSaidOfWhoIsOnHoldAndWhoWaitsForHimNeverStarts() {
        runs(1, NOW - 30_000, 100_000);
        add(job(2), JobState.PENDING, 0, 0, true, null);
        beliefs.put(2L, Belief.certain(0, 1_000, COSTS));
        Job follower = job(3).toBuilder(3)
                .after(List.of(new dev.fermata.core.model.After(2, dev.fermata.core.model.After.Wanted.ANY)))
                .build();
        add(follower, JobState.PENDING, 0, 0, false, null);
        beliefs.put(3L, Belief.certain(0, 1_000, COSTS));
        List<ExpectedStart> starts = foresee("fermata", 4);
        assertThat(starts).extracting(ExpectedStart::jobId).containsExactly(3L);
        assertThat(starts.get(0).startsMillis()).isEmpty();
        assertThat(starts.get(0).quantileMillis(0.5)).isEqualTo(ExpectedStart.NEVER);
    }

    private static Stream<@Nullable Outlook> numbers() {
        return Stream.of(null, new Counted(30_000, 100_000));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void doubtSpreadsTheStartsAroundTheEstimate(@Nullable Outlook outlook) {
        runs(1, NOW - 30_000, 100_000);
        beliefs.put(1L, new Belief(30_000, 100_000, 80_000, 200_000, outlook, COSTS));
        waits(2, 1_000);
        ExpectedStart start = foresee("fifo", 99).get(0);
        assertThat((double) start.quantileMillis(0.5) - NOW).isCloseTo(100_000, within(4_000.0));
        assertThat((double) start.quantileMillis(0.9) - NOW).isCloseTo(200_000, within(12_000.0));
        assertThat((double) start.quantileMillis(0.1) - NOW).isCloseTo(80_000, within(3_000.0));
    }

    /** As the live estimator has it: a policy that ranked it otherwise would foresee other pauses than it decides. */
    @Test
    void whoCountsHisStepsIsExpectedToDoWhatHeHasLeft() {
        Belief belief = new Belief(30_000, 100_000, 80_000, 200_000, new Counted(30_000, 100_000), COSTS);
        Believed believed = new Believed(Map.of(1L, belief), List.of());
        assertThat(believed.outlook(done(70_000), NOW)).isEqualTo(new Counted(70_000, 60_000));
        assertThat(believed.outlook(done(140_000), NOW)).as("it has outrun it").isEqualTo(new Counted(140_000, 70_000));
    }

    private static PastJob done(long millis) {
        return new PastJob(job(1), JobState.RUNNING, 0, millis, millis);
    }

    @Test
    void learnedJobsEndAsThoseBeforeThemEnded() {
        History history = new History();
        for (int i = 0; i < 400; i++) {
            Job past = Job.builder(1000 + i, 1).name("train" + i).build();
            history.noted(PastJob.of(past, JobState.COMPLETED, i % 10 < 8 ? 600_000 : 6_000_000), 0);
        }
        runs(1, NOW - 1_000, 1);
        Job running = Job.builder(1, 1).name("train").costs(COSTS).build();
        Outlook outlook = history.outlook(new PastJob(running, JobState.RUNNING, 0, 1_000, 1_000), NOW);
        beliefs.put(1L, new Belief(1_000, 599_000, 1, 599_000, outlook, COSTS));
        waits(2, 1_000);
        ExpectedStart start = foresee("fifo", 99).get(0);
        assertThat((double) start.quantileMillis(0.5) - NOW).isCloseTo(600_000, within(120_000.0));
        assertThat((double) start.quantileMillis(0.9) - NOW).isCloseTo(6_000_000, within(1_500_000.0));
        assertThat(outlook.wholeMillis(3_000_000, 0.5))
                .as("who has outrun the short ones is a long one")
                .isBetween(4_500_000L, 7_500_000L);
    }

    @Test
    void theNormalQuantileIsRight() {
        assertThat(Futures.deviation(0.5)).isCloseTo(0, within(1e-8));
        assertThat(Futures.deviation(0.9)).isCloseTo(1.2815515655, within(1e-8));
        assertThat(Futures.deviation(0.01)).isCloseTo(-2.3263478740, within(1e-8));
        assertThat(Futures.deviation(0.99)).isCloseTo(2.3263478740, within(1e-8));
    }

    @Test
    void aStateWithoutABeliefIsRefused() {
        runs(1, NOW - 30_000, 100_000);
        beliefs.clear();
        assertThatThrownBy(() -> foresee("fifo", 1)).hasMessageContaining("nothing is believed of job 1");
    }
}
