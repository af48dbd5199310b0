package dev.fermata.sim.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The formula for two jobs on one GPU against 45 pairs that we measured on an H200, without MPS: the speed of each beside the
 * other, relative to itself alone. {@code +40ms} jobs wait that long on the host in every step. The figures in
 * docs/profiles.md are these.
 */
class MeasuredPairsTest {
    /** Steps per second alone, and milliseconds of each step that the GPU took. */
    private static final Map<String, Double> BUSY = Map.of(
            "resnet18:64", busy(65.9, 15.17),
            "resnet50:64", busy(31.11, 32.14),
            "resnet50:64+40ms", busy(13.51, 33.89),
            "vgg16:64", busy(30.2, 33.11),
            "vgg16:64+150ms", busy(5.45, 33.34),
            "mobilenet3:64", busy(29.89, 33.45),
            "bert-base:16", busy(29.22, 34.22),
            "bert-base:16+60ms", busy(9.78, 42.14),
            "gpt2-124m:8", busy(15.97, 62.61),
            "gpt2-124m:2+100ms", busy(7.41, 34.79));

    private static final List<Side> SIDES = new ArrayList<>();

    /** One job of a pair: what the formula says of its speed, and what came out. */
    private record Side(String job, String neighbour, double predicted, double measured) {
        double error() {
            return predicted - measured;
        }
    }

    @BeforeAll
    static void predict() {
        for (Sheet.Line pair : Sheet.read("h200_pairs.csv")) {
            SIDES.add(side(pair.text("one"), pair.text("other"), pair.number("speed_one")));
            SIDES.add(side(pair.text("other"), pair.text("one"), pair.number("speed_other")));
        }
    }

    @Test
    void theFormulaIsCarefulByThirteenPercentOfASpeed() {
        assertThat(SIDES).hasSize(90);
        assertThat(mean(SIDES.stream().mapToDouble(s -> Math.abs(s.error())).toArray()))
                .isEqualTo(0.131, offset(0.001));
        assertThat(mean(SIDES.stream().mapToDouble(Side::error).toArray())).isEqualTo(-0.131, offset(0.001));
        Side worst = SIDES.stream()
                .max(Comparator.comparingDouble(s -> Math.abs(s.error())))
                .orElseThrow();
        assertThat(worst.error()).isEqualTo(-0.336, offset(0.001));
        assertThat(worst.job()).isEqualTo("bert-base:16");
    }

    @Test
    void itPromisesHardlyMoreThanCameOut() {
        assertThat(SIDES).allMatch(side -> side.error() < 0.01);
    }

    @Test
    void whoSlowsWhomMoreIsToldRightForMostPairs() {
        int right = 0;
        int all = 0;
        for (Side a : SIDES) {
            for (Side b : SIDES) {
                if (a.measured() > b.measured() + 0.1) {
                    all++;
                    right += a.predicted() > b.predicted() ? 1 : 0;
                }
            }
        }
        assertThat(right / (double) all).isEqualTo(0.911, offset(0.002));
    }

    /** What nvidia-smi said of such jobs: some percent, since they are bound by launching kernels (docs/gpu.md). */
    @Test
    void fedWithTheLoadThatTheGpuReportsItPromisesTooMuch() {
        List<Side> sides = SIDES.stream()
                .map(side -> predicted(side, SpeedModel.coRunStretch(0.1, 0.1)))
                .toList();
        assertThat(absolute(sides)).isEqualTo(0.152, offset(0.001));
        assertThat(mean(sides.stream().mapToDouble(Side::error).toArray())).isEqualTo(0.108, offset(0.001));
    }

    /** Once a pair was measured it is judged by that, as exactly as what is kept of it. */
    @Test
    void afterOneMeasurementAPairIsKnown() {
        List<Side> sides = SIDES.stream()
                .map(side -> {
                    double kept = Math.max(1, Math.round(1 / side.measured() / 0.02) * 0.02);
                    return predicted(
                            side,
                            SpeedModel.coRunStretch(
                                    profile(side.job(), Map.of(side.neighbour(), kept)),
                                    List.of(profile(side.neighbour(), Map.of()))));
                })
                .toList();
        assertThat(absolute(sides)).isEqualTo(0.004, offset(0.0005));
        assertThat(sides).allMatch(side -> side.measured() > 1 || Math.abs(side.error()) < 0.011);
    }

    /** Each pair judged by busy shares that all other pairs of its two jobs have shown, whatever their GPU says. */
    @Test
    void pairsThatNeverMetAreKnownBetterByWhatEachShowedBesideOthers() {
        List<Side> sides = SIDES.stream()
                .map(side -> predicted(
                        side,
                        SpeedModel.coRunStretch(
                                shown(side.job(), side.neighbour()), shown(side.neighbour(), side.job()))))
                .toList();
        assertThat(absolute(sides)).isEqualTo(0.074, offset(0.002));
        assertThat(mean(sides.stream().mapToDouble(Side::error).toArray())).isEqualTo(-0.029, offset(0.002));
    }

    /** Three on one GPU, by what was measured of their pairs: speeds and, beside each, what it was beside the two others. */
    @Test
    void whatTwoNeighboursAddIsAddedUp() {
        double[][] triples = {
            {0.717, 0.852, 0.946}, {0.881, 0.95, 1.0}, {0.854, 0.895, 0.989},
            {0.812, 0.924, 0.936}, {0.802, 0.935, 0.906}, {0.905, 0.989, 0.955},
            {0.338, 0.491, 0.574}, {0.322, 0.471, 0.519}, {0.546, 0.71, 0.741},
            {0.387, 0.575, 0.576}, {0.329, 0.493, 0.504}, {0.397, 0.588, 0.589}
        };
        double error = 0;
        for (double[] triple : triples) {
            Profile own = profile("own", Map.of("one", 1 / triple[1], "other", 1 / triple[2]));
            double stretch =
                    SpeedModel.coRunStretch(own, List.of(profile("one", Map.of()), profile("other", Map.of())));
            error += Math.abs(1 / stretch - triple[0]) / triples.length;
        }
        assertThat(error).isEqualTo(0.038, offset(0.002));
    }

    private static Profile profile(String model, Map<String, Double> beside) {
        return new Profile(model, 100, 1, 0, 1, 0, Map.of(), beside);
    }

    /** The median busy share that a job's pairs with all but one show. */
    private static double shown(String job, String butBeside) {
        double[] shares = SIDES.stream()
                .filter(side -> side.job().equals(job) && !side.neighbour().equals(butBeside))
                .map(side -> SpeedModel.busySharesFor(1 / side.measured(), 1 / measuredOf(side.neighbour(), job)))
                .filter(Objects::nonNull)
                .mapToDouble(SpeedModel.BusyShares::one)
                .sorted()
                .toArray();
        int half = shares.length / 2;
        if (shares.length == 0) {
            return 0.1; // what its GPU says
        }
        return shares.length % 2 == 1 ? shares[half] : (shares[half - 1] + shares[half]) / 2;
    }

    private static double measuredOf(String slowed, String by) {
        return SIDES.stream()
                .filter(side -> side.job().equals(slowed) && side.neighbour().equals(by))
                .findFirst()
                .orElseThrow()
                .measured();
    }

    private static Side predicted(Side side, double stretch) {
        return new Side(side.job(), side.neighbour(), 1 / stretch, side.measured());
    }

    private static double absolute(List<Side> sides) {
        return mean(sides.stream().mapToDouble(s -> Math.abs(s.error())).toArray());
    }

    private static Side side(String job, String neighbour, double measured) {
        double stretch = SpeedModel.coRunStretch(busyOf(job), busyOf(neighbour));
        return new Side(job, neighbour, 1 / stretch, measured);
    }

    private static double busyOf(String job) {
        return BUSY.getOrDefault(job, Double.NaN);
    }

    private static double busy(double stepsPerSecond, double millis) {
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
