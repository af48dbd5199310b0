package dev.fermata.insight.prediction;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Predicts the start of pending jobs: the simulator continues the live state under the live policy in several
 * scenarios. They differ in the remaining run time of each job and in future arrivals. The same state gives the same
 * prediction.
 */
public final class MonteCarloStartPredictor {
    /** The horizon: no start is predicted beyond 90 days. */
    public static final long HORIZON_MILLIS = 90L * 86_400_000;

    private static final int CYCLES_PER_JOB = 40;
    private static final int MIN_CYCLES = 20_000;
    /** Limit on jobs times scenarios simulated at the same time, since each scenario has its own state in memory. */
    private static final int MAX_PARALLEL_JOBS = 24_000;

    private static final long SEED = 1;
    /** Random streams beyond those of jobs. */
    private static final long ARRIVAL_STREAM = 1L << 51;

    private final ClusterSnapshot state;
    private final int scenarios;
    private final List<Long> pendingIds;
    private final LongMap<double[]> quantiles = new LongMap<>();

    private MonteCarloStartPredictor(ClusterSnapshot state, int scenarios) {
        this.state = state;
        this.scenarios = scenarios;
        this.pendingIds = pendingJobs(state);
        RuntimeQuantileSampler futures = new RuntimeQuantileSampler(SEED, scenarios);
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : state.scheduler().jobs()) {
            quantiles.put(
                    jobSnapshot.job().id(),
                    futures.quantilesOf(jobSnapshot.job().id()));
        }
        for (Job job : state.hypotheticalJobs()) {
            quantiles.put(job.id(), futures.quantilesOf(job.id()));
        }
    }

    /** The predicted start of every pending job that is not on hold. */
    public static List<StartDistribution> predict(ClusterSnapshot state, int scenarios) {
        if (scenarios < 1) {
            throw new IllegalArgumentException("scenarios (" + scenarios + ") must be at least 1");
        }
        state.check();
        return new MonteCarloStartPredictor(state, scenarios).run();
    }

    private static List<Long> pendingJobs(ClusterSnapshot state) {
        List<Long> waiting = new ArrayList<>();
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : state.scheduler().jobs()) {
            if (jobSnapshot.state() == JobState.PENDING && !jobSnapshot.onHold()) {
                waiting.add(jobSnapshot.job().id());
            }
        }
        state.hypotheticalJobs().forEach(job -> waiting.add(job.id()));
        return waiting;
    }

    private List<StartDistribution> run() {
        if (pendingIds.isEmpty()) {
            return List.of();
        }
        int liveJobs =
                state.scheduler().jobs().size() + state.hypotheticalJobs().size();
        int batchSize = Math.max(1, MAX_PARALLEL_JOBS / liveJobs);
        List<PredictionScenario> scenarioResults = new ArrayList<>();
        for (int first = 0; first < scenarios; first += batchSize) {
            IntStream.range(first, Math.min(scenarios, first + batchSize))
                    .parallel() // scenarios are independent
                    .mapToObj(scenario -> simulate(scenario, MIN_CYCLES + CYCLES_PER_JOB * liveJobs))
                    .forEachOrdered(scenarioResults::add);
        }
        return pendingIds.stream().map(id -> summarize(id, scenarioResults)).toList();
    }

    private PredictionScenario simulate(int scenario, int maxCycles) {
        return PredictionScenario.simulate(
                state,
                pendingIds,
                job -> totalWorkMillis(job, scenario),
                arrivals(scenario),
                state.nowMillis() + HORIZON_MILLIS,
                maxCycles);
    }

    private List<ScenarioArrival> arrivals(int scenario) {
        List<ScenarioArrival> all = new ArrayList<>(ScenarioArrival.resample(
                state.recentArrivals(), state.nowMillis(), Rng.stream(SEED, ARRIVAL_STREAM + scenario)));
        for (Job job : state.hypotheticalJobs()) {
            WorkEstimate estimate = Objects.requireNonNull(state.estimates().get(job.id()));
            all.add(new ScenarioArrival(job, estimate, state.nowMillis(), totalWorkMillis(job, scenario)));
        }
        return all;
    }

    private long totalWorkMillis(Job job, int scenario) {
        WorkEstimate estimate = Objects.requireNonNull(state.estimates().get(job.id()));
        return RuntimeQuantileSampler.totalWorkMillis(
                estimate, Objects.requireNonNull(quantiles.get(job.id()))[scenario]);
    }

    private StartDistribution summarize(long id, List<PredictionScenario> scenarioResults) {
        long[] starts = new long[scenarioResults.size()];
        int started = 0;
        int preempting = 0;
        long gain = 0;
        long cost = 0;
        Map<Long, Integer> victims = new TreeMap<>();
        for (PredictionScenario scenario : scenarioResults) {
            PredictionScenario.ScenarioStart scenarioStart = scenario.of(id);
            if (scenarioStart.startMillis != StartDistribution.NEVER) {
                starts[started++] = scenarioStart.startMillis;
            }
            if (!scenarioStart.victims.isEmpty()) {
                preempting++;
                gain += scenarioStart.gainMillis;
                cost += scenarioStart.costMillis;
                scenarioStart.victims.forEach(victim -> victims.merge(victim, 1, Integer::sum));
            }
        }
        Arrays.sort(starts, 0, started);
        return new StartDistribution(
                id,
                Arrays.stream(starts, 0, started).boxed().toList(),
                scenarioResults.size(),
                preempting,
                preempting == 0 ? 0 : gain / preempting,
                preempting == 0 ? 0 : cost / preempting,
                frequentVictims(victims, preempting));
    }

    private static List<Long> frequentVictims(Map<Long, Integer> victims, int preempting) {
        return victims.entrySet().stream()
                .filter(victim -> 2 * victim.getValue() >= preempting)
                .sorted(Map.Entry.<Long, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
