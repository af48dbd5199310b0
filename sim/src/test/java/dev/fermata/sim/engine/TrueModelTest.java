package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

/** What differs from prediction, by how much, and what never does. */
class TrueModelTest {
    private static final Costs COSTS = new Costs(5_000, 10_000, 3_000, 2_000);
    private static final ModelError TYPES = new ModelError(0.3, 0, 0, 0, 0, 0);
    private static final ModelError PLACEMENT = new ModelError(0, 0.4, 0, 0, 0, 0);
    private static final ModelError CO_RUN = new ModelError(0, 0, 0.15, 0.2, 0, 0);
    private static final ModelError COST = new ModelError(0, 0, 0, 0, 0.3, 0);
    private static final Topology MIXED = ClusterSpec.parse("2x2:P100+2x2:V100");

    private static Job job(long id, int gpus, String model) {
        return Job.builder(id, gpus)
                .profile(new Profile(model, 100, 0.6, 200, 10, 1000, Map.of("P100", 0.5)))
                .costs(COSTS)
                .build();
    }

    private static SimulatedJob simulated(String model) {
        return SimulatedJob.of(job(1, 1, model), 0, 1000);
    }

    private static double speedOnP100(ModelError error, long seed, String model) {
        Job job = new TrueModel(MIXED, error, seed).trueJob(simulated(model)).job();
        return job.profile().speedOn(MIXED.types().get(0));
    }

    /** Logarithms over many seeds have this mean and this standard deviation. */
    private static void checkLogNormal(LongToDoubleFunction factor, double mean, double deviation) {
        int n = 4000;
        double sum = 0;
        double squares = 0;
        for (long seed = 1; seed <= n; seed++) {
            double log = Math.log(factor.applyAsDouble(seed));
            sum += log;
            squares += log * log;
        }
        assertThat(sum / n).isEqualTo(mean, within(0.03 * deviation / 0.3 + 0.005));
        assertThat(Math.sqrt(squares / n - sum / n * sum / n)).isEqualTo(deviation, within(0.02));
    }

    @Test
    void speedsByTypeAreLogNormalAroundPrediction() {
        checkLogNormal(seed -> speedOnP100(TYPES, seed, "m") / 0.5, 0, 0.3);
    }

    @Test
    void costsAreLogNormalAroundPrediction() {
        checkLogNormal(
                seed -> new TrueModel(MIXED, COST, seed)
                                .trueJob(simulated("m"))
                                .costs()
                                .preemptMillis()
                        / 5000.0,
                0,
                0.3);
        Costs costs = new TrueModel(MIXED, COST, 1).trueJob(simulated("m")).costs();
        double load = costs.buildMillis() / 10_000.0;
        assertThat(costs.restoreMillis()).isCloseTo(Math.round(3_000 * load), within(1L));
        assertThat(costs.warmupMillis()).isCloseTo(Math.round(2_000 * load), within(1L));
        assertThat(costs.preemptMillis() / 5_000.0)
                .as("pauses and loads have errors of their own")
                .isNotCloseTo(load, within(0.001));
    }

    private static Job busy(long id, String model) {
        return Job.builder(id, 1)
                .profile(new Profile(model, 100, 1, 0, 1, 0, Map.of()))
                .build();
    }

    @Test
    void coRunsAreFasterByTheBias() {
        Job one = busy(1, "one");
        Job other = busy(2, "other");
        double predicted = SpeedModel.coRunSlowdown(one.profile(), List.of(other.profile()));
        checkLogNormal(
                seed -> predicted / new TrueModel(MIXED, CO_RUN, seed).coRunSlowdown(one, List.of(other)), 0.2, 0.15);
        TrueModel model = new TrueModel(MIXED, CO_RUN, 1);
        assertThat(model.coRunSlowdown(one, List.of())).as("alone").isEqualTo(1);
        assertThat(model.coRunSlowdown(one, List.of(other)))
                .as("either side has its own error")
                .isNotEqualTo(model.coRunSlowdown(other, List.of(one)));
    }

    @Test
    void noJobIsFasterNextToAnother() {
        for (long seed = 1; seed <= 300; seed++) {
            assertThat(new TrueModel(MIXED, new ModelError(0, 0, 2, 0, 0, 0), seed)
                            .coRunSlowdown(job(1, 1, "one"), List.of(job(2, 1, "other"))))
                    .isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void aMeasuredPairIsAsItWasMeasured() {
        Job one = Job.builder(1, 1)
                .profile(new Profile("one", 100, 0.6, 0, 1, 0, Map.of(), Map.of("other", 1.4)))
                .build();
        assertThat(new TrueModel(MIXED, CO_RUN, 1).coRunSlowdown(one, List.of(job(2, 1, "other"))))
                .isEqualTo(1.4);
    }

    @Test
    void theReferenceIsKnown() {
        for (long seed = 1; seed <= 100; seed++) {
            TrueModel model = new TrueModel(MIXED, ModelError.MEASURED, seed);
            Job job = model.trueJob(SimulatedJob.of(job(1, 2, "m"), 0, 1000)).job();
            assertThat(job.profile().speedOn(MIXED.types().get(1))).isEqualTo(1);
            Allocation node = Allocation.of(MIXED, new int[] {4, 5}, false);
            assertThat(model.speedAlone(job, node, MIXED.network()))
                    .isEqualTo(SpeedModel.speedAlone(job(1, 2, "m"), node, MIXED));
        }
    }

    @Test
    void noPlacementIsFasterThanTheClosest() {
        Job job = job(1, 2, "m");
        Allocation apart = Allocation.of(MIXED, new int[] {4, 6}, false);
        long close = SpeedModel.speedAlone(job, Allocation.of(MIXED, new int[] {4, 5}, false), MIXED)
                .micro();
        long predicted = SpeedModel.speedAlone(job, apart, MIXED).micro();
        List<Long> speeds = new ArrayList<>();
        for (long seed = 1; seed <= 200; seed++) {
            speeds.add(new TrueModel(MIXED, PLACEMENT, seed)
                    .speedAlone(job, apart, MIXED.network())
                    .micro());
        }
        assertThat(speeds).allMatch(speed -> speed <= close).anyMatch(speed -> speed < 0.8 * predicted);
        assertThat(speeds.stream().distinct().count()).isGreaterThan(50);
    }

    @Test
    void withoutErrorsNothingIsDrawn() {
        SimulatedJob job = simulated("m");
        assertThat(new TrueModel(MIXED, ModelError.NONE, 7).trueJob(job)).isSameAs(job);
    }

    @Test
    void anErrorBelongsToTheModelAndNotToTheOrderOfQuestions() {
        List<String> models = new ArrayList<>(List.of("a", "b", "c", "ab", "ba"));
        Map<String, Double> first = new HashMap<>();
        models.forEach(model -> first.put(model, speedOnP100(TYPES, 3, model)));
        Collections.reverse(models);
        TrueModel again = new TrueModel(MIXED, TYPES, 3);
        for (String model : models) {
            assertThat(again.trueJob(simulated(model))
                            .job()
                            .profile()
                            .speedOn(MIXED.types().get(0)))
                    .isEqualTo(first.get(model));
        }
        assertThat(first.values()).doesNotHaveDuplicates();
        assertThat(speedOnP100(TYPES, 4, "a")).isNotEqualTo(first.get("a"));
    }

    /** Work divided by the true speed, to the millisecond; what the policy is told is the true speed, once it runs. */
    @Test
    void aJobEndsWhenItsWorkIsDoneAtItsTrueSpeedAndCosts() {
        ModelError error = new ModelError(0.3, 0, 0, 0, 0.3, 0);
        SimulatedJob submitted = SimulatedJob.of(job(1, 1, "m"), 0, 100_000);
        TestSimulation simulation = TestSimulation.on("1x1:P100", "srtf")
                .modelError(error)
                .job(submitted)
                .run();
        SimulatedJob real = new TrueModel(simulation.topology(), error, 1).trueJob(submitted);
        double speed =
                real.job().profile().speedOn(simulation.topology().types().get(0));
        long loaded = real.costs().firstLoadMillis();
        assertThat(speed).isNotCloseTo(0.5, within(0.01));
        assertThat(loaded).isNotCloseTo(12_000, within(100L));
        assertThat(simulation.runningMillis(1, 1)).isEqualTo(loaded);
        assertThat(simulation.endedMillis(1, 1))
                .isEqualTo(loaded + (long) Math.ceil(100_000_000_000.0 / Math.round(speed * 1e6)));
        assertThat(simulation.attemptEnded(1, 1).usage().savedWorkMillis()).isEqualTo(100_000);
    }

    @Test
    void aPauseThatTakesLongerThanTheGracePeriodLosesTheWork() {
        ModelError error = new ModelError(0, 0, 0, 0, 0.3, 0);
        Job job = job(1, 1, "m").toBuilder(1).graceMillis(5_000).build();
        long seed = 1;
        while (new TrueModel(MIXED, error, seed)
                        .trueJob(SimulatedJob.of(job, 0, 1000))
                        .costs()
                        .preemptMillis()
                <= 5_000) {
            seed++;
        }
        TestSimulation simulation = TestSimulation.on("1x1:V100", "srtf")
                .faults(Faults.FaultRates.NONE, seed)
                .modelError(error)
                .job(job, 0, 1_000)
                .job(job(2, 1, "m"), 500, 10)
                .run();
        assertThat(job.savesWithinGrace()).as("as predicted").isTrue();
        assertThat(simulation.attemptEnded(1, 1).usage().lostMillis()).isPositive();
    }

    /** Every policy meets the same truth: a model has one speed on one type. */
    @Test
    void theSameErrorsForEveryPolicy() {
        Map<String, Long> known = new HashMap<>();
        for (String policy : List.of("fifo", "srtf", "fermata:pair=1", "las")) {
            TestSimulation simulation =
                    TestSimulation.on("2x2:P100+2x2:K80", policy).modelError(ModelError.MEASURED);
            for (int id = 1; id <= 40; id++) {
                simulation.job(job(id, 1, "m" + id % 5), 10L * id, 200);
            }
            Map<Long, Integer> types = new HashMap<>();
            simulation.run();
            for (TestSimulation.SimulatedRecord entry : simulation.history()) {
                if (entry.record() instanceof HistoryRecord.Started started) {
                    types.put(
                            started.jobId(),
                            simulation.topology().typeOf(started.allocation().gpu(0)));
                } else if (entry.record() instanceof HistoryRecord.Running running) {
                    int type = types.getOrDefault(running.jobId(), -1);
                    String what = "m" + running.jobId() % 5 + " on " + type;
                    assertThat(known.putIfAbsent(what, running.speedMicro()))
                            .as("%s under %s", what, policy)
                            .isIn(null, running.speedMicro());
                }
            }
        }
        assertThat(known).hasSize(10);
    }
}
