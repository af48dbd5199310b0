package dev.fermata.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class JpsGeneratorTest {
    private static final Topology CLUSTER = ClusterSpec.parse("1x8:T4+1x8:P100+1x8:V100");

    @Test
    void jobsAreElasticAndRunOnEveryType() {
        List<SimulatedJob> jobs =
                WorkloadSpec.generate("jps:jobs=40,min=2,max=6", CLUSTER, 3).jobs();

        assertThat(jobs).hasSize(40).allSatisfy(j -> {
            assertThat(j.submitMillis()).isZero();
            assertThat(j.job().demand().minGpus()).isEqualTo(2);
            assertThat(j.job().demand().maxGpus()).isEqualTo(6);
            assertThat(j.job().demand().eligibleTypes(CLUSTER)).isEqualTo(0b111);
            // a median of 4 h of one V100, over a factor of 40, on six GPUs
            assertThat(j.durationMillis() / 1000.0 * 6).isBetween(14_400 / 6.4, 14_400 * 6.4);
            double t4 = j.job().profile().speedOn(GpuCatalogue.byName("T4"));
            double p100 = j.job().profile().speedOn(GpuCatalogue.byName("P100"));
            assertThat(t4).isBetween(0.2, 0.55).isLessThan(p100);
            assertThat(p100).isLessThan(1);
        });
        assertThat(jobs.stream().map(j -> j.job().profile().model()).distinct()).hasSizeGreaterThan(5);
    }

    @Test
    void theSameSeedGivesTheSameJobsAndAGapSpreadsThem() {
        assertThat(WorkloadSpec.generate("jps:jobs=9,gap=60", CLUSTER, 1))
                .isEqualTo(WorkloadSpec.generate("jps:jobs=9,gap=60", CLUSTER, 1));
        List<SimulatedJob> spread =
                WorkloadSpec.generate("jps:jobs=2000,gap=60", CLUSTER, 1).jobs();

        assertThat(spread.get(1999).submitMillis() / 1000.0 / 1999).isBetween(54.0, 66.0);
    }

    @Test
    void aMaximumBelowTheMinimumIsRejected() {
        assertThatThrownBy(() -> WorkloadSpec.generate("jps:min=4,max=2", CLUSTER, 1))
                .hasMessageContaining("max (2)")
                .hasMessageContaining("min (4)");
    }
}
