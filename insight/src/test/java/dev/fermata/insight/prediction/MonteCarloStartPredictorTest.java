package dev.fermata.insight.prediction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.Gpus;
import dev.fermata.core.contract.SchedulerSnapshot.JobSnapshot;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.estimate.StepCountEstimate;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Predictions that can be computed by hand. */
class MonteCarloStartPredictorTest {
    private static final long NOW = 1_000_000;
    private static final Costs COSTS = new Costs(4_000, 10_000, 5_000, 0);

    private final Topology singleGpu =
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 1).build();
    private final List<JobSnapshot> jobSnapshots = new ArrayList<>();
    private final Map<Long, WorkEstimate> estimates = new HashMap<>();

    private static Job job(long id) {
        return Job.builder(id, 1).costs(COSTS).build();
    }

    private void add(Job job, JobState state, long since, long speedMicro, boolean onHold, @Nullable Gpus held) {
        jobSnapshots.add(new JobSnapshot(
                job,
                new SchedulerSnapshot.Status(state, held == null ? 0 : 1, 0, 0, false, onHold),
                new SchedulerSnapshot.Times(id(job), id(job), id(job), since, state == JobState.STARTING ? 0 : since),
                new SchedulerSnapshot.Progress(0, 0, 0, 0, speedMicro, since, 0),
                held,
                null,
                null));
    }

    private static long id(Job job) {
        return job.id();
    }

    private void addPending(long id, long needs) {
        add(job(id), JobState.PENDING, 0, 0, false, null);
        estimates.put(id, WorkEstimate.exact(0, needs, COSTS));
    }

    private void addRunning(long id, long since, long left) {
        add(job(id), JobState.RUNNING, since, Speed.UNIT, false, new Gpus(List.of(0), false));
        estimates.put(id, WorkEstimate.exact(NOW - since, left, COSTS));
    }

    private final List<ClusterSnapshot.RecentArrival> recentArrivals = new ArrayList<>();
    private PolicyMemory policyMemory = PolicyMemory.NONE;

    private List<StartDistribution> predict(String policy, int scenarios, Job... arrivals) {
        SchedulerSnapshot snapshot =
                new SchedulerSnapshot(NOW, jobSnapshots, List.of(), List.of(), List.of(), List.of(), singleGpu);
        return MonteCarloStartPredictor.predict(
                new ClusterSnapshot(
                        singleGpu,
                        PolicySpec.parse(policy),
                        snapshot,
                        policyMemory,
                        estimates,
                        List.of(arrivals),
                        recentArrivals,
                        NOW),
                scenarios);
    }

    @Test
    void laterArrivalsDelayAJobOnlyIfThePolicyAllowsIt() {
        addRunning(1, NOW - 30_000, 100_000);
        addPending(2, 50_000);
        for (int i = 0; i < 8; i++) {
            recentArrivals.add(new ClusterSnapshot.RecentArrival(
                    job(100 + i), WorkEstimate.exact(0, 10_000, COSTS), 5_000L * (i + 1)));
        }
        StartDistribution first = predict("fifo", 29).get(0);
        assertThat(first.startsMillis()).as("no job overtakes it").containsOnly(NOW + 100_000);
        StartDistribution delayed = predict("sjf", 29).get(0);
        assertThat(delayed.quantileMillis(0.5))
                .as("about eight shorter jobs, each loading for 10 s and running for 10 s, go first")
                .isBetween(NOW + 100_000 + 5 * 20_000, NOW + 100_000 + 11 * 20_000);
        assertThat(delayed.quantileMillis(0.9)).isGreaterThan(delayed.quantileMillis(0.5));
    }

    @Test
    void fifoOnOneGpuStartsJobsInOrder() {
        addRunning(1, NOW - 30_000, 100_000);
        addPending(2, 50_000);
        addPending(3, 20_000);
        List<StartDistribution> starts = predict("fifo", 3);
        assertThat(starts).extracting(StartDistribution::jobId).containsExactly(2L, 3L);
        assertThat(starts.get(0).startsMillis()).containsOnly(NOW + 100_000);
        assertThat(starts.get(1).quantileMillis(0.5)).isEqualTo(NOW + 100_000 + 10_000 + 50_000);
        assertThat(starts.get(1).quantileMillis(0.9)).isEqualTo(NOW + 100_000 + 10_000 + 50_000);
    }

    @Test
    void shortestJobFirstReversesTheOrder() {
        addRunning(1, NOW - 30_000, 100_000);
        addPending(2, 50_000);
        addPending(3, 20_000);
        List<StartDistribution> starts = predict("sjf", 1);
        assertThat(starts.get(1).startsMillis()).containsExactly(NOW + 100_000);
        assertThat(starts.get(0).startsMillis()).containsExactly(NOW + 100_000 + 10_000 + 20_000);
    }

    @Test
    void aLoadingAttemptLoadsOnlyTheRemainder() {
        add(job(1), JobState.STARTING, NOW - 7_000, 0, false, new Gpus(List.of(0), false));
        estimates.put(1L, WorkEstimate.exact(0, 60_000, COSTS));
        addPending(2, 1_000);
        assertThat(predict("fifo", 1).get(0).startsMillis()).containsExactly(NOW + 3_000 + 60_000);
    }

    @Test
    void aPreemptedAttemptEndsWhenItHasSaved() {
        add(job(1), JobState.PREEMPTING, NOW - 1_500, 0, false, new Gpus(List.of(0), false));
        estimates.put(1L, WorkEstimate.exact(90_000, 10_000, COSTS));
        addPending(2, 1_000);
        StartDistribution start = predict("sjf", 1).get(0);
        assertThat(start.startsMillis()).containsExactly(NOW + 2_500);
    }

    @Test
    void aHypotheticalJobPreemptsThePolicysVictimAndReportsTheCost() {
        addRunning(1, NOW - 300_000, 10_000_000);
        estimates.put(7L, WorkEstimate.exact(0, 10_000, COSTS));
        StartDistribution start = predict("xion", 2, job(7)).get(0);
        assertThat(start.startsMillis()).containsOnly(NOW + COSTS.preemptMillis());
        assertThat(start.scenariosWithPreemption()).isEqualTo(2);
        assertThat(start.victims()).containsExactly(1L);
        assertThat(start.gainMillis()).isGreaterThan(start.costMillis());
        assertThat(start.costMillis()).isPositive();
    }

    /** A policy that has served many jobs during a wait expects as many to come, which a preemption would delay too. */
    @Test
    void aPreemptionDeclinedByThePolicyIsNotPredicted() {
        addRunning(1, NOW - 300_000, 100_000);
        addPending(2, 10_000);
        addPending(3, 90_000);
        StartDistribution first = predict("fermata", 1).get(0);
        assertThat(first.victims()).containsExactly(1L);
        policyMemory = new PolicyMemory(1, List.of(1_000L));
        StartDistribution then = predict("fermata", 1).get(0);
        assertThat(then.victims()).isEmpty();
        assertThat(then.startsMillis()).containsExactly(NOW + 100_000);
    }

    @Test
    void aHeldJobHasNoPredictionAndItsDependentNeverStarts() {
        addRunning(1, NOW - 30_000, 100_000);
        add(job(2), JobState.PENDING, 0, 0, true, null);
        estimates.put(2L, WorkEstimate.exact(0, 1_000, COSTS));
        Job follower = job(3).toBuilder(3)
                .dependencies(List.of(
                        new dev.fermata.core.model.Dependency(2, dev.fermata.core.model.Dependency.Condition.ANY)))
                .build();
        add(follower, JobState.PENDING, 0, 0, false, null);
        estimates.put(3L, WorkEstimate.exact(0, 1_000, COSTS));
        List<StartDistribution> starts = predict("fermata", 4);
        assertThat(starts).extracting(StartDistribution::jobId).containsExactly(3L);
        assertThat(starts.get(0).startsMillis()).isEmpty();
        assertThat(starts.get(0).quantileMillis(0.5)).isEqualTo(StartDistribution.NEVER);
    }

    private static Stream<@Nullable RuntimeEstimate> pointEstimates() {
        return Stream.of(null, new StepCountEstimate(30_000, 100_000));
    }

    @ParameterizedTest
    @MethodSource("pointEstimates")
    void uncertaintySpreadsTheStartsAroundTheEstimate(@Nullable RuntimeEstimate runtimeEstimate) {
        addRunning(1, NOW - 30_000, 100_000);
        estimates.put(1L, new WorkEstimate(30_000, 100_000, 80_000, 200_000, runtimeEstimate, COSTS));
        addPending(2, 1_000);
        StartDistribution start = predict("fifo", 99).get(0);
        assertThat((double) start.quantileMillis(0.5) - NOW).isCloseTo(100_000, within(4_000.0));
        assertThat((double) start.quantileMillis(0.9) - NOW).isCloseTo(200_000, within(12_000.0));
        assertThat((double) start.quantileMillis(0.1) - NOW).isCloseTo(80_000, within(3_000.0));
    }

    /**
     * As the live estimator has it: with another rank, the predicted preemptions would differ from the decided ones.
     */
    @Test
    void aJobThatReportsItsStepsRunsForItsReportedRemainder() {
        WorkEstimate estimate =
                new WorkEstimate(30_000, 100_000, 80_000, 200_000, new StepCountEstimate(30_000, 100_000), COSTS);
        SnapshotEstimator counted = new SnapshotEstimator(Map.of(1L, estimate), List.of());
        assertThat(counted.runtimeEstimate(completedJob(70_000), NOW)).isEqualTo(new StepCountEstimate(70_000, 60_000));
        assertThat(counted.runtimeEstimate(completedJob(140_000), NOW))
                .as("it has outrun it")
                .isEqualTo(new StepCountEstimate(140_000, 70_000));
    }

    private static PastJob completedJob(long millis) {
        return new PastJob(job(1), JobState.RUNNING, 0, millis, millis);
    }

    @Test
    void jobsWithAHistoryEndAsEarlierJobsEnded() {
        HistoryEstimator history = new HistoryEstimator();
        for (int i = 0; i < 400; i++) {
            Job previous = Job.builder(1000 + i, 1).name("train" + i).build();
            history.observe(PastJob.of(previous, JobState.COMPLETED, i % 10 < 8 ? 600_000 : 6_000_000), 0);
        }
        addRunning(1, NOW - 1_000, 1);
        Job running = Job.builder(1, 1).name("train").costs(COSTS).build();
        RuntimeEstimate runtimeEstimate =
                history.runtimeEstimate(new PastJob(running, JobState.RUNNING, 0, 1_000, 1_000), NOW);
        estimates.put(1L, new WorkEstimate(1_000, 599_000, 1, 599_000, runtimeEstimate, COSTS));
        addPending(2, 1_000);
        StartDistribution start = predict("fifo", 99).get(0);
        assertThat((double) start.quantileMillis(0.5) - NOW).isCloseTo(600_000, within(120_000.0));
        assertThat((double) start.quantileMillis(0.9) - NOW).isCloseTo(6_000_000, within(1_500_000.0));
        assertThat(runtimeEstimate.totalQuantileMillis(3_000_000, 0.5))
                .as("a job that has outrun the short ones is a long one")
                .isBetween(4_500_000L, 7_500_000L);
    }

    @Test
    void theNormalQuantileIsAccurate() {
        assertThat(RuntimeQuantileSampler.normalQuantile(0.5)).isCloseTo(0, within(1e-8));
        assertThat(RuntimeQuantileSampler.normalQuantile(0.9)).isCloseTo(1.2815515655, within(1e-8));
        assertThat(RuntimeQuantileSampler.normalQuantile(0.01)).isCloseTo(-2.3263478740, within(1e-8));
        assertThat(RuntimeQuantileSampler.normalQuantile(0.99)).isCloseTo(2.3263478740, within(1e-8));
    }

    @Test
    void aStateWithoutAnEstimateIsRejected() {
        addRunning(1, NOW - 30_000, 100_000);
        estimates.clear();
        assertThatThrownBy(() -> predict("fifo", 1)).hasMessageContaining("no estimate for job 1");
    }
}
