package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpeedModelTest {
    private static final GpuType REFERENCE = new GpuType("V100", 32768, 1.0);
    private static final GpuType FAST = new GpuType("A100", 81920, 2.2);
    private static final GpuType SLOW = new GpuType("K80", 12288, 0.2);
    private static final Topology CLUSTER = Topology.builder()
            .rack()
            .node(REFERENCE, 4)
            .node(REFERENCE, 4)
            .rack()
            .node(REFERENCE, 4)
            .node(FAST, 8)
            .node(SLOW, 4)
            .build();

    private static Job job(int min, int max, Profile profile) {
        return Job.builder(1, max)
                .demand(new Demand(min, max, 0, 1000, List.of(), 0, 0))
                .profile(profile)
                .build();
    }

    private static Profile communicating(double iterationMillis, double gradientMib, int layers) {
        return new Profile("m", iterationMillis, 0.8, gradientMib, layers, 0, Map.of());
    }

    @Test
    void anUnknownModelScalesWithTheTypeOfGpu() {
        Job job = job(2, 2, Profile.UNKNOWN);

        assertThat(SpeedModel.speedAlone(job, allocation(0, 1), CLUSTER)).isEqualTo(Speed.REFERENCE);
        assertThat(SpeedModel.speedAlone(job, allocation(12, 13), CLUSTER)).isEqualTo(new Speed(2_200_000, 0));
        assertThat(SpeedModel.speedAlone(job, allocation(20, 21), CLUSTER)).isEqualTo(new Speed(200_000, 0));
    }

    /** One V100, one A100, one K80: 1 + 2.2 + 0.2 of the three reference GPUs it requests. */
    @Test
    void aGangOfSeveralTypesIsAsFastAsTheSumOfThem() {
        Job job = job(3, 3, Profile.UNKNOWN);

        assertThat(SpeedModel.speedAlone(job, allocation(0, 12, 20), CLUSTER)).isEqualTo(new Speed(1_133_333, 0));
    }

    /** Computing 100 ms · 2 / (1 + 2.2); then as any gang over two racks of one GPU each. */
    @Test
    void aGangOfSeveralTypesCommunicatesOverItsPlacementAsAnyOther() {
        Job job = job(2, 2, communicating(100, 400, 10));
        Allocation across = allocation(0, 12);
        double compute = 100 * 2 / 3.2;
        double actual = SpeedModel.iterationMillis(job.profile(), compute, across.shape(), CLUSTER.network());
        double reference = SpeedModel.iterationMillis(job.profile(), 100, CLUSTER.tightest(0, 2), CLUSTER.network());

        Speed speed = SpeedModel.speedAlone(job, across, CLUSTER);

        assertThat(across.mixed()).isTrue();
        assertThat(speed.micro()).isCloseTo(Math.round(reference / actual * 1e6), within(1L));
        assertThat(speed.communicationShare()).isCloseTo(1 - compute / actual, within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 4", "12, 13", "20, 21"})
    void withOneTypeTheSumEqualsTheSpeedOfTheType(int first, int second) {
        Job job = job(1, 2, communicating(80, 300, 7));
        Allocation held = allocation(first, second);
        int[] counts = new int[3];
        counts[CLUSTER.typeOf(first)] = 2;

        assertThat(SpeedModel.speedOnMixedTypes(job, CLUSTER, counts, held.shape())
                        .micro())
                .isCloseTo(SpeedModel.speedAlone(job, held, CLUSTER).micro(), within(1L));
    }

    @Test
    void aMeasuredSpeedCountsMoreThanTheType() {
        Profile measured = new Profile("m", 100, 1, 0, 1, 0, Map.of("A100", 3.0));

        assertThat(SpeedModel.speedAlone(job(1, 1, measured), allocation(12), CLUSTER)
                        .micro())
                .isEqualTo(3_000_000);
    }

    @Test
    void anElasticJobAtHalfItsSizeRunsAtHalfItsSpeed() {
        Job job = job(1, 4, Profile.UNKNOWN);

        assertThat(SpeedModel.speedAlone(job, allocation(0, 1), CLUSTER).micro())
                .isEqualTo(500_000);
        assertThat(SpeedModel.speedAlone(job, allocation(0, 1, 2, 3), CLUSTER).micro())
                .isEqualTo(1_000_000);
    }

    @Test
    void theTightestPlaceOnTheReferenceGpuIsTheMeasureOfAllOthers() {
        Job job = job(4, 4, communicating(100, 400, 10));

        Speed tight = SpeedModel.speedAlone(job, allocation(0, 1, 2, 3), CLUSTER);
        Speed overNodes = SpeedModel.speedAlone(job, allocation(0, 1, 4, 5), CLUSTER);
        Speed overRacks = SpeedModel.speedAlone(job, allocation(0, 1, 8, 9), CLUSTER);

        assertThat(tight.micro()).isEqualTo(Speed.UNIT);
        assertThat(overNodes.micro()).isLessThan(Speed.UNIT);
        assertThat(overRacks.micro()).isLessThan(overNodes.micro());
        assertThat(overRacks.communicationShare()).isGreaterThan(overNodes.communicationShare());
    }

    @Test
    void theShareOfCommunicationIsWhatSticksOutOfCompute() {
        Network slow = new Network(new Link(1, 0), new Link(1, 0), new Link(1, 0));
        Topology cluster = Topology.builder()
                .network(slow)
                .node(REFERENCE, 1)
                .node(REFERENCE, 1)
                .build();
        Profile profile = communicating(300, 1e9 / 1048576, 1); // one layer of 1 GB: 1000 ms in a ring of two
        Job job = job(2, 2, profile);

        Speed speed = SpeedModel.speedAlone(job, Allocation.of(cluster, new int[] {0, 1}, false), cluster);

        assertThat(speed.micro()).isEqualTo(Speed.UNIT); // there is no closer place here
        assertThat(speed.communicationShare()).isCloseTo(1 - 300 / 1300.0, within(1e-9));
    }

    /** Two layers, compute 300: the first gradient is ready at 200; either the last transfer sticks out or the channel. */
    @ParameterizedTest
    @CsvSource({"50, 350", "100, 400", "200, 600", "0.001, 300.001"})
    void transfersOverlapWithTheBackwardPass(double perLayerMillis, double expected) {
        Network network = new Network(new Link(1, 0), new Link(1, 0), new Link(1, 0));
        double mibPerLayer = perLayerMillis * 1e6 / 1048576; // ring of two over 1 GB/s moves exactly its bytes
        Profile profile = communicating(300, 2 * mibPerLayer, 2);

        assertThat(SpeedModel.iterationMillis(profile, 300, new Shape(2, 1, 1), network))
                .isCloseTo(expected, within(1e-6));
    }

    @Test
    void aJobWithoutNeighboursHasNoSlowdown() {
        assertThat(SpeedModel.coRunSlowdown(0.7)).isEqualTo(1);
    }

    @Test
    void twoFullyBusyJobsTakeTwiceAsLongAndInterfere() {
        assertThat(SpeedModel.coRunSlowdown(1, 1)).isCloseTo(2 * SpeedModel.INTERFERENCE, within(1e-9));
        assertThat(SpeedModel.coRunSlowdown(1, 1, 1)).isCloseTo(3 * SpeedModel.INTERFERENCE, within(1e-9));
    }

    @Test
    void twoIdleEnoughJobsOnlyInterfere() {
        assertThat(SpeedModel.coRunSlowdown(0.4, 0.4)).isCloseTo(SpeedModel.INTERFERENCE, within(1e-12));
        assertThat(SpeedModel.coRunSlowdown(0.5, 0.5)).isCloseTo(SpeedModel.INTERFERENCE, within(1e-12));
    }

    @Test
    void busyPhasesLengthenUntilTheGpuIsFull() {
        // 0.8 / (0.2 + 0.8 k) = 1/2 gives k = 1.75, so an iteration takes 0.2 + 1.4
        assertThat(SpeedModel.coRunSlowdown(0.8, 0.8)).isCloseTo(1.6 * SpeedModel.INTERFERENCE, within(1e-9));
    }

    @Test
    void theSumOfBusySharesIsOneAtTheSolution() {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            double[] busy = random.doubles(2 + random.nextInt(4), 0.3, 1).toArray();
            double[] others = java.util.Arrays.copyOfRange(busy, 1, busy.length);
            if (java.util.Arrays.stream(busy).sum() <= 1) {
                continue;
            }
            double slowdown = SpeedModel.coRunSlowdown(busy[0], others) / SpeedModel.INTERFERENCE;
            double k = (slowdown - (1 - busy[0])) / busy[0];
            double sum = 0;
            for (double b : busy) {
                sum += b / ((1 - b) + k * b);
            }
            assertThat(sum).isCloseTo(1, within(1e-6));
            assertThat(k).isBetween(1.0, (double) busy.length);
        }
    }

    @Test
    void speedRoundsTimesUpAndIsNeverZero() {
        Speed third = new Speed(333_333, 0.3);

        assertThat(third.millisFor(1)).isEqualTo(1);
        assertThat(third.millisFor(333_333)).isEqualTo(1);
        assertThat(third.millisFor(333_334)).isEqualTo(2);
        assertThat(third.millisFor(0)).isZero();
        assertThat(new Speed(1, 0).slowedBy(1e9).micro()).isEqualTo(1);
    }

    @Test
    void slowdownReducesTheCommunicationShare() {
        Speed slowed = new Speed(1_000_000, 0.4).slowedBy(2);

        assertThat(slowed).isEqualTo(new Speed(500_000, 0.2));
        assertThat(slowed.slowedBy(1)).isSameAs(slowed);
    }

    private static Allocation allocation(int... gpus) {
        return Allocation.of(CLUSTER, gpus, false);
    }

    private static Profile measured(String model, double busy, Map<String, Double> coRun) {
        return new Profile(model, 100, busy, 0, 1, 0, Map.of(), coRun);
    }

    @Test
    void measuredCoRunSlowdownOverridesTheFormula() {
        Profile one = measured("one", 0.9, Map.of("other", 1.3));
        Profile other = measured("other", 0.9, Map.of());
        assertThat(SpeedModel.coRunSlowdown(one, List.of(other))).isEqualTo(1.3);
        assertThat(SpeedModel.coRunSlowdown(other, List.of(one))).isEqualTo(SpeedModel.coRunSlowdown(0.9, 0.9));
        assertThat(SpeedModel.coRunSlowdown(one, List.of())).isEqualTo(1);
        assertThat(SpeedModel.isProvenUnprofitable(one, other)).isFalse();
        assertThat(SpeedModel.isProvenUnprofitable(
                        measured("one", 0.1, Map.of("other", 2.0)), measured("other", 0.1, Map.of("one", 2.0))))
                .isTrue();
    }

    /** Both do well; that one was slowed by more than the other makes it no job that never lets the GPU idle. */
    @Test
    void aCoRunWithLittleSlowdownGivesNoBusyShares() {
        assertThat(SpeedModel.busySharesFor(1 / 0.81, 1 / 0.88)).isNull();
        assertThat(SpeedModel.busySharesFor(1 / 0.6, 1 / 0.6)).isNotNull();
    }

    @Test
    void theInverseFormulaRecoversTheBusyShares() {
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            double a = 0.05 + 0.95 * random.nextDouble();
            double b = 0.05 + 0.95 * random.nextDouble();
            SpeedModel.BusyShares shares =
                    SpeedModel.busySharesFor(SpeedModel.coRunSlowdown(a, b), SpeedModel.coRunSlowdown(b, a));
            double slowdown = (SpeedModel.coRunSlowdown(a, b) / SpeedModel.coRunSlowdown(0.01, 0.01) - 1) / a;
            if (slowdown < 0.0999) {
                assertThat(shares)
                        .as("%s and %s hardly wait for each other", a, b)
                        .isNull();
            } else if (slowdown > 0.1001) {
                assertThat(Objects.requireNonNull(shares).one()).isCloseTo(a, within(1e-3));
                assertThat(shares.other()).isCloseTo(b, within(1e-3));
            }
        }
    }
}
