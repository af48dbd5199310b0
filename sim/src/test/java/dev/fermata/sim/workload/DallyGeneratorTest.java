package dev.fermata.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The generator draws what is published about the traces. */
class DallyGeneratorTest {
    private static final Topology CLUSTER = ClusterSpec.parse("8x8x8");

    private static List<SimulatedJob> jobs(String text) {
        return WorkloadSpec.generate(text, CLUSTER, 3).jobs();
    }

    private static double share(List<SimulatedJob> jobs, java.util.function.Predicate<SimulatedJob> of) {
        return jobs.stream().filter(of).count() / (double) jobs.size();
    }

    private static int gpus(SimulatedJob job) {
        return job.job().demand().maxGpus();
    }

    @Test
    void sizesAndModelsHaveTheSharesOfTheTrace() {
        List<SimulatedJob> jobs = jobs("dally:jobs=20000");

        assertThat(share(jobs, j -> gpus(j) == 1)).isCloseTo(0.54, within(0.01));
        assertThat(share(jobs, j -> gpus(j) == 8)).isCloseTo(0.218, within(0.01));
        assertThat(share(jobs, j -> gpus(j) >= 32)).isCloseTo(0.028, within(0.005));
        assertThat(share(jobs, j -> j.job().profile().model().equals("mobilenetv3")))
                .isCloseTo(0.25, within(0.01));
        assertThat(share(jobs, j -> j.job().profile().model().equals("vgg11"))).isCloseTo(0.068, within(0.006));
        assertThat(share(jobs, j -> gpus(j) >= 32 && !j.job().profile().model().equals("mobilenetv3")))
                .as("large gangs train one model, all but one in fourteen")
                .isCloseTo(0.002, within(0.002));
    }

    @Test
    void gpuHoursHaveTheMedianAndMeanOfTheTrace() {
        double[] hours = jobs("dally:jobs=20000").stream()
                .mapToDouble(j ->
                        j.durationMillis() / SpeedModel.speedWithoutNetwork(j.job(), CLUSTER, 0) * gpus(j) / 3_600_000)
                .sorted()
                .toArray();

        assertThat(hours[10_000]).isCloseTo(15.5, within(0.5));
        assertThat(java.util.Arrays.stream(hours).average().orElse(0)).isCloseTo(26.1, within(1.0));
        assertThat(hours[0]).isCloseTo(2, within(1e-3));
    }

    @Test
    void theSecondTraceHasNoSingleGpuJobsAndArrivesAsAStream() {
        List<SimulatedJob> jobs = jobs("dally:jobs=20000,gap=1460,singles=0");

        assertThat(share(jobs, j -> gpus(j) == 1)).isZero();
        assertThat(share(jobs, j -> gpus(j) == 8)).isCloseTo(190 / 411.0, within(0.012));
        assertThat(jobs.get(19_999).submitMillis() / 20_000.0).isCloseTo(1_460_000, within(30_000.0));
    }

    @Test
    void withoutAGapAllJobsArriveAtOnceAndSavingTakesASecondPerGpu() {
        List<SimulatedJob> jobs = jobs("dally:jobs=200");

        assertThat(jobs).allMatch(j -> j.submitMillis() == 0);
        assertThat(jobs).allMatch(j -> j.costs().preemptMillis() == 1000L * gpus(j));
    }

    @Test
    void noJobRequestsMoreThanTheCluster() {
        List<SimulatedJob> jobs = WorkloadSpec.generate("dally:jobs=2000", ClusterSpec.parse("2x8"), 1)
                .jobs();

        assertThat(jobs).allMatch(j -> gpus(j) <= 16);
    }

    @Test
    void everyJobCanBeForcedToBert() {
        assertThat(jobs("dally:jobs=300,bert=1"))
                .allMatch(j -> j.job().profile().model().equals("bert-large"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dally:gap=-1", "dally:singles=2", "dally:bert=1.5", "dally:scale=0", "dally:jobs=0"})
    void invalidNumbersAreRejected(String text) {
        assertThatThrownBy(() -> WorkloadSpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a");
    }
}
