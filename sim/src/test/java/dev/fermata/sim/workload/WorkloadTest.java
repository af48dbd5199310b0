package dev.fermata.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadTest {
    private static final Topology CLUSTER = ClusterSpec.parse("16x8:V100");

    @Test
    void randomNumbersEqualSplitMix64() {
        Rng rng = new Rng(1234567);

        assertThat(rng.nextLong()).isEqualTo(6457827717110365317L);
        assertThat(rng.nextLong()).isEqualTo(3203168211198807973L);
        assertThat(rng.nextLong()).isEqualTo(Long.parseUnsignedLong("9817491932198370423"));
    }

    @Test
    void streamsOfOneSeedDiffer() {
        assertThat(Rng.stream(1, 1).nextLong()).isEqualTo(Rng.stream(1, 1).nextLong());
        assertThat(Rng.stream(1, 1).nextLong()).isNotEqualTo(Rng.stream(1, 2).nextLong());
        assertThat(Rng.stream(2, 1).nextLong()).isNotEqualTo(Rng.stream(1, 1).nextLong());
    }

    @Test
    void distributionsHaveTheirMoments() {
        Rng rng = new Rng(42);
        int n = 200_000;
        double exponential = 0;
        double sum = 0;
        double squares = 0;
        int[] picked = new int[3];
        for (int i = 0; i < n; i++) {
            exponential += rng.exponential(7);
            double g = rng.gaussian();
            sum += g;
            squares += g * g;
            picked[rng.weightedIndex(1, 2, 1)]++;
            assertThat(rng.uniformInt(3)).isBetween(0, 2);
        }
        assertThat(exponential / n).isCloseTo(7, within(0.07));
        assertThat(sum / n).isCloseTo(0, within(0.01));
        assertThat(squares / n).isCloseTo(1, within(0.02));
        assertThat(picked[1] / (double) n).isCloseTo(0.5, within(0.01));
    }

    @Test
    void theSameSeedMakesTheSameJobs() {
        String text = "synthetic:jobs=500,load=0.8";

        assertThat(WorkloadSpec.generate(text, CLUSTER, 3)).isEqualTo(WorkloadSpec.generate(text, CLUSTER, 3));
        assertThat(WorkloadSpec.generate(text, CLUSTER, 4).jobs())
                .isNotEqualTo(WorkloadSpec.generate(text, CLUSTER, 3).jobs());
    }

    @Test
    void gangSizesArePowersOfTwoThatFitTheCluster() {
        Workload workload = WorkloadSpec.generate("synthetic:jobs=3000,max-gpus=16", CLUSTER, 1);

        assertThat(workload.jobs())
                .extracting(j -> j.job().demand().maxGpus())
                .allMatch(g -> Integer.bitCount(g) == 1 && g <= 16)
                .contains(1, 2, 4, 8, 16);
        Workload small = WorkloadSpec.generate("synthetic:jobs=300", ClusterSpec.parse("1x3"), 1);
        assertThat(small.jobs())
                .extracting(j -> j.job().demand().maxGpus())
                .allMatch(g -> g <= 3)
                .contains(1, 2);
    }

    @Test
    void aShareOfTheGangsIsElasticAndTheRestOfTheWorkloadStays() {
        List<SimulatedJob> fixed =
                WorkloadSpec.generate("synthetic:jobs=3000", CLUSTER, 6).jobs();
        List<SimulatedJob> mixed = WorkloadSpec.generate("synthetic:jobs=3000,elastic=0.4", CLUSTER, 6)
                .jobs();
        int gangs = 0;
        int elastic = 0;
        for (int i = 0; i < fixed.size(); i++) {
            Demand demand = mixed.get(i).job().demand();
            int most = demand.maxGpus();
            boolean isElastic = demand.minGpus() < most;
            gangs += most > 1 ? 1 : 0;
            elastic += isElastic ? 1 : 0;
            assertThat(demand.minGpus()).isIn(most, Math.max(1, most / 4));
            Job asFixed = mixed.get(i).job().withDemand(fixed.get(i).job().demand());
            assertThat(new SimulatedJob(
                            asFixed,
                            mixed.get(i).submitMillis(),
                            mixed.get(i).durationMillis(),
                            mixed.get(i).peakMemoryMib(),
                            mixed.get(i).costs()))
                    .isEqualTo(fixed.get(i));
        }
        assertThat((double) elastic / gangs).isCloseTo(0.4, within(0.04));
        assertThat(fixed)
                .allMatch(j -> j.job().demand().minGpus() == j.job().demand().maxGpus());
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1", "0.9, 2", "1.5, 3"})
    void theSubmittedWorkMatchesTheRequestedLoad(double load, long seed) {
        Workload workload = WorkloadSpec.generate("synthetic:jobs=20000,diurnal=0,load=" + load, CLUSTER, seed);
        double work = workload.jobs().stream()
                .mapToDouble(j -> (double) j.durationMillis() * j.job().demand().maxGpus())
                .sum();
        List<SimulatedJob> jobs = workload.jobs();
        double span = jobs.get(jobs.size() - 1).submitMillis();

        assertThat(work / span / CLUSTER.gpuCount()).isCloseTo(load, within(load * 0.02));
    }

    @Test
    void fewJobsHoldMostOfTheGpuTime() {
        List<SimulatedJob> jobs = WorkloadSpec.generate("synthetic:jobs=10000", CLUSTER, 5).jobs().stream()
                .sorted(Comparator.comparingDouble(WorkloadTest::gpuTime).reversed())
                .toList();
        double all = jobs.stream().mapToDouble(WorkloadTest::gpuTime).sum();
        double tenth = jobs.subList(0, 1000).stream()
                .mapToDouble(WorkloadTest::gpuTime)
                .sum();

        assertThat(tenth / all).isGreaterThan(0.6);
        assertThat(jobs.stream()
                        .filter(j -> j.job().jobClass() == JobClass.TRIAL)
                        .count())
                .isBetween(2800L, 3200L);
    }

    private static double gpuTime(SimulatedJob job) {
        return (double) job.durationMillis() * job.job().demand().maxGpus();
    }

    @Test
    void jobsAreInOrderOfSubmissionThenId() {
        SimulatedJob a = SimulatedJob.of(Job.builder(2, 1).build(), 5, 1);
        SimulatedJob b = SimulatedJob.of(Job.builder(1, 1).build(), 5, 1);
        SimulatedJob c = SimulatedJob.of(Job.builder(3, 1).build(), 4, 1);

        assertThat(new Workload("w", List.of(a, b, c)).jobs()).containsExactly(c, b, a);
    }

    @Test
    void costsCanBeChangedForAllJobs() {
        Workload workload =
                WorkloadSpec.generate("synthetic:jobs=10", CLUSTER, 1).withCosts(c -> Costs.NONE);

        assertThat(workload.jobs())
                .allMatch(j -> j.costs().equals(Costs.NONE) && j.job().costs().equals(Costs.NONE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "synthetic:job=5      | has no key 'job'. Did you mean 'jobs'?",
                "synthetic:jobs=0     | jobs (0) must be a whole number from 1 to 20000000",
                "synthetic:jobs=2.5   | jobs (2.5) must be a whole number",
                "synthetic:load=fast  | load (fast) must be a number from 0.01 to 100",
                "synthetic:load       | load () must be a number",
            })
    void invalidWorkloadsAreNamed(String text, String message) {
        assertThatThrownBy(() -> WorkloadSpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"4x8,1,4,32", "2x4x8:V100,2,8,64", "1x2:V100+2x2x4:K80,3,5,18"})
    void clusterSpecsAreParsed(String text, int racks, int nodes, int gpus) {
        Topology topology = ClusterSpec.parse(text);

        assertThat(topology.racks()).hasSize(racks);
        assertThat(topology.nodes()).hasSize(nodes);
        assertThat(topology.gpuCount()).isEqualTo(gpus);
    }

    @ParameterizedTest
    @CsvSource({"x", "4", "0x8", "4x", "4x8:", "4x8+", "99999999x8", "10000x10000"})
    void invalidClustersAreNamed(String text) {
        assertThatThrownBy(() -> ClusterSpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cluster '" + text + "'");
    }
}
