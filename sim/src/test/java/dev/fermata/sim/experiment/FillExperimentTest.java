package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FillExperimentTest {
    private static final Topology CLUSTER = ClusterSpec.parse("12x4");

    private static Workload workload(Demand... demands) {
        List<SimulatedJob> jobs = new ArrayList<>();
        for (Demand demand : demands) {
            Job job = Job.builder(jobs.size() + 1, demand.minGpus())
                    .demand(demand)
                    .build();
            jobs.add(SimulatedJob.of(job, 0, 1000));
        }
        return new Workload("drawn from", jobs);
    }

    private static Demand fraction(int milli) {
        return new Demand(1, 1, 0, milli, List.of(), 0, 0);
    }

    private static FillExperiment.FillResult fill(Workload workload, double until, long seed, String place) {
        return new FillExperiment(CLUSTER, workload, until, seed)
                .run(PolicySpec.parse("fifo:share=100,place=" + place), () -> false);
    }

    @Test
    void allFittingJobsArePlaced() {
        FillExperiment.FillResult result = fill(workload(fraction(250)), 1, 1, "best-fit");

        assertThat(result).isEqualTo(new FillExperiment.FillResult(192, 0, 1, 1, 0));
    }

    @Test
    void aJobThatDoesNotFitIsRejectedAndTheRestIsUnusable() {
        FillExperiment.FillResult result = fill(workload(fraction(600)), 1.5, 1, "fgd");

        assertThat(result.arrived()).isEqualTo(120);
        assertThat(result.rejected()).isEqualTo(120 - 48);
        assertThat(result.allocated()).isEqualTo(0.6);
        assertThat(result.unusable()).isCloseTo(0.4, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void aLargeJobDoesNotEndTheExperiment() {
        Workload mostlySmall = workload(fraction(250), fraction(250), fraction(250), Demand.gpus(64));
        for (long seed = 1; seed <= 10; seed++) {
            assertThat(fill(mostlySmall, 1, seed, "best-fit").offered()).isGreaterThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "first-fit", "best-fit", "consolidate", "fgd"})
    void allocationNeverExceedsCapacityOrRequests(String place) {
        Workload mixed =
                workload(fraction(300), fraction(450), fraction(100), Demand.gpus(1), Demand.gpus(2), Demand.gpus(4));
        for (long seed = 1; seed <= 10; seed++) {
            FillExperiment.FillResult result = fill(mixed, 0.4 * seed, seed, place);

            assertThat(result.offered()).isBetween(0.4 * seed, 0.4 * seed + 4.0 / CLUSTER.gpuCount());
            assertThat(result.allocated()).isPositive().isLessThanOrEqualTo(Math.min(1, result.offered()));
            assertThat(result.unusable()).isBetween(0.0, 1 - result.allocated() + 1e-9);
            assertThat(result).as("the same again").isEqualTo(fill(mixed, 0.4 * seed, seed, place));
        }
    }

    @Test
    void fragmentationGradientDescentFillsMoreThanRandom() {
        Workload mixed =
                workload(fraction(300), fraction(450), fraction(100), Demand.gpus(1), Demand.gpus(2), Demand.gpus(4));
        double fgd = 0;
        double random = 0;
        for (long seed = 1; seed <= 20; seed++) {
            fgd += fill(mixed, 1.3, seed, "fgd").allocated();
            random += fill(mixed, 1.3, seed, "random").allocated();
        }

        assertThat(fgd).isGreaterThan(random + 20 * 0.03);
    }

    @Test
    void anEmptyWorkloadIsAnError() {
        assertThatThrownBy(() -> fill(workload(), 1, 1, "fgd")).hasMessageContaining("no jobs");
    }
}
