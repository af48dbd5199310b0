package dev.fermata.sim.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.sim.engine.ModelError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The formula for two jobs on one GPU against 45 co-runs measured on an H200, without MPS: the speed of each while
 * co-located, relative to itself alone. {@code +40ms} jobs wait that long on the host in every step. The figures in
 * docs/research/profiles.md are these.
 */
class MeasuredCoRunsTest {
    /** Steps per second alone, and milliseconds of each step that the GPU took. */
    private static final Map<String, Double> BUSY = Map.of(
            "resnet18:64", busyShare(65.9, 15.17),
            "resnet50:64", busyShare(31.11, 32.14),
            "resnet50:64+40ms", busyShare(13.51, 33.89),
            "vgg16:64", busyShare(30.2, 33.11),
            "vgg16:64+150ms", busyShare(5.45, 33.34),
            "mobilenet3:64", busyShare(29.89, 33.45),
            "bert-base:16", busyShare(29.22, 34.22),
            "bert-base:16+60ms", busyShare(9.78, 42.14),
            "gpt2-124m:8", busyShare(15.97, 62.61),
            "gpt2-124m:2+100ms", busyShare(7.41, 34.79));

    private static final List<CoRunSide> SIDES = new ArrayList<>();

    /** One job of a co-run: its speed by the formula, and as measured. */
    private record CoRunSide(String job, String neighbour, double predicted, double measured) {
        double error() {
            return predicted - measured;
        }
    }

    @BeforeAll
    static void predict() {
        for (CatalogueTable.CatalogueRow coRun : CatalogueTable.read("h200_pairs.csv")) {
            SIDES.add(side(coRun.text("one"), coRun.text("other"), coRun.number("speed_one")));
            SIDES.add(side(coRun.text("other"), coRun.text("one"), coRun.number("speed_other")));
        }
    }

    @Test
    void theFormulaUnderestimatesSpeedByThirteenPercent() {
        assertThat(SIDES).hasSize(90);
        assertThat(mean(SIDES.stream().mapToDouble(s -> Math.abs(s.error())).toArray()))
                .isEqualTo(0.131, offset(0.001));
        assertThat(mean(SIDES.stream().mapToDouble(CoRunSide::error).toArray())).isEqualTo(-0.131, offset(0.001));
        CoRunSide worst = SIDES.stream()
                .max(Comparator.comparingDouble(s -> Math.abs(s.error())))
                .orElseThrow();
        assertThat(worst.error()).isEqualTo(-0.336, offset(0.001));
        assertThat(worst.job()).isEqualTo("bert-base:16");
    }

    @Test
    void theMeasuredModelErrorIsThatOfTheFormula() {
        double[] logs = SIDES.stream()
                .mapToDouble(side -> Math.log(side.measured() / side.predicted()))
                .toArray();
        double bias = mean(logs);
        double variance =
                mean(Arrays.stream(logs).map(log -> (log - bias) * (log - bias)).toArray());
        assertThat(ModelError.MEASURED.coRunBias()).isEqualTo(bias, offset(0.005));
        assertThat(ModelError.MEASURED.coRun()).isEqualTo(Math.sqrt(variance), offset(0.005));
    }

    @Test
    void theFormulaHardlyEverOverestimatesSpeed() {
        assertThat(SIDES).allMatch(side -> side.error() < 0.01);
    }

    @Test
    void theOrderOfSlowdownsIsRightForMostCoRuns() {
        int right = 0;
        int all = 0;
        for (CoRunSide a : SIDES) {
            for (CoRunSide b : SIDES) {
                if (a.measured() > b.measured() + 0.1) {
                    all++;
                    right += a.predicted() > b.predicted() ? 1 : 0;
                }
            }
        }
        assertThat(right / (double) all).isEqualTo(0.911, offset(0.002));
    }

    /**
     * The utilization of such jobs by nvidia-smi: a few percent, since they are bound by launching kernels
     * (docs/operator/gpu.md).
     */
    @Test
    void withReportedGpuUtilizationTheFormulaOverestimatesSpeed() {
        List<CoRunSide> sides = SIDES.stream()
                .map(side -> predicted(side, SpeedModel.coRunSlowdown(0.1, 0.1)))
                .toList();
        assertThat(meanAbsoluteError(sides)).isEqualTo(0.152, offset(0.001));
        assertThat(mean(sides.stream().mapToDouble(CoRunSide::error).toArray())).isEqualTo(0.108, offset(0.001));
    }

    /** A measured co-run is predicted by its measurement, as exactly as that is stored. */
    @Test
    void oneMeasurementMakesACoRunKnown() {
        List<CoRunSide> sides = SIDES.stream()
                .map(side -> {
                    double kept = Math.max(1, Math.round(1 / side.measured() / 0.02) * 0.02);
                    return predicted(
                            side,
                            SpeedModel.coRunSlowdown(
                                    profile(side.job(), Map.of(side.neighbour(), kept)),
                                    List.of(profile(side.neighbour(), Map.of()))));
                })
                .toList();
        assertThat(meanAbsoluteError(sides)).isEqualTo(0.004, offset(0.0005));
        assertThat(sides).allMatch(side -> side.measured() > 1 || Math.abs(side.error()) < 0.011);
    }

    /**
     * Each co-run is predicted by the busy shares that all other co-runs of its two jobs show, whatever the GPU
     * reports.
     */
    @Test
    void otherCoRunsImproveThePredictionOfAnUnmeasuredCoRun() {
        List<CoRunSide> sides = SIDES.stream()
                .map(side -> predicted(
                        side,
                        SpeedModel.coRunSlowdown(
                                observedBusyShare(side.job(), side.neighbour()),
                                observedBusyShare(side.neighbour(), side.job()))))
                .toList();
        assertThat(meanAbsoluteError(sides)).isEqualTo(0.074, offset(0.002));
        assertThat(mean(sides.stream().mapToDouble(CoRunSide::error).toArray())).isEqualTo(-0.029, offset(0.002));
    }

    /**
     * Three jobs on one GPU, predicted by their measured co-runs of two: the speed of each, and its speeds next to the
     * two others.
     */
    @Test
    void slowdownsOfTwoNeighboursAdd() {
        double[][] triples = {
            {0.717, 0.852, 0.946}, {0.881, 0.95, 1.0}, {0.854, 0.895, 0.989},
            {0.812, 0.924, 0.936}, {0.802, 0.935, 0.906}, {0.905, 0.989, 0.955},
            {0.338, 0.491, 0.574}, {0.322, 0.471, 0.519}, {0.546, 0.71, 0.741},
            {0.387, 0.575, 0.576}, {0.329, 0.493, 0.504}, {0.397, 0.588, 0.589}
        };
        double error = 0;
        for (double[] triple : triples) {
            Profile target = profile("own", Map.of("one", 1 / triple[1], "other", 1 / triple[2]));
            double slowdown =
                    SpeedModel.coRunSlowdown(target, List.of(profile("one", Map.of()), profile("other", Map.of())));
            error += Math.abs(1 / slowdown - triple[0]) / triples.length;
        }
        assertThat(error).isEqualTo(0.038, offset(0.002));
    }

    private static Profile profile(String model, Map<String, Double> coRunSlowdowns) {
        return new Profile(model, 100, 1, 0, 1, 0, Map.of(), coRunSlowdowns);
    }

    /** The median busy share that a job's co-runs with all but one show. */
    private static double observedBusyShare(String job, String excluded) {
        double[] shares = SIDES.stream()
                .filter(side -> side.job().equals(job) && !side.neighbour().equals(excluded))
                .map(side -> SpeedModel.busySharesFor(1 / side.measured(), 1 / measuredSpeed(side.neighbour(), job)))
                .filter(Objects::nonNull)
                .mapToDouble(SpeedModel.BusyShares::one)
                .sorted()
                .toArray();
        int half = shares.length / 2;
        if (shares.length == 0) {
            return 0.1; // what its GPU reports
        }
        return shares.length % 2 == 1 ? shares[half] : (shares[half - 1] + shares[half]) / 2;
    }

    private static double measuredSpeed(String slowed, String by) {
        return SIDES.stream()
                .filter(side -> side.job().equals(slowed) && side.neighbour().equals(by))
                .findFirst()
                .orElseThrow()
                .measured();
    }

    private static CoRunSide predicted(CoRunSide side, double slowdown) {
        return new CoRunSide(side.job(), side.neighbour(), 1 / slowdown, side.measured());
    }

    private static double meanAbsoluteError(List<CoRunSide> sides) {
        return mean(sides.stream().mapToDouble(s -> Math.abs(s.error())).toArray());
    }

    private static CoRunSide side(String job, String neighbour, double measured) {
        double slowdown = SpeedModel.coRunSlowdown(busyShareOf(job), busyShareOf(neighbour));
        return new CoRunSide(job, neighbour, 1 / slowdown, measured);
    }

    private static double busyShareOf(String job) {
        return BUSY.getOrDefault(job, Double.NaN);
    }

    private static double busyShare(double stepsPerSecond, double millis) {
        return Math.min(1, stepsPerSecond * millis / 1000);
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }
}
