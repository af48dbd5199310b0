package dev.fermata.sim.xonar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.profile.XonarProfiles;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class XonarGeneratorTest {
    private static final Topology NODE = ClusterSpec.parse("1x2:V100");

    private static Profile profile(String dataset, String model, int batch) {
        return XonarProfiles.of(dataset).stream()
                .filter(row -> row.model().equals(model))
                .map(row -> row.byBatch().get(batch))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void profilesMatchTheAuthors() {
        Profile vgg16 = profile("imagenet", "vgg16", 64);

        assertThat(vgg16.iterationMillis()).isEqualTo(855 + 1487);
        assertThat(vgg16.busyShare()).isCloseTo(855.0 / 2342, within(1e-9));
        assertThat(vgg16.peakMemoryMib()).isEqualTo(17306); // 16.9 GiB
        assertThat(XonarProfiles.all()).hasSize(29);
        assertThat(XonarProfiles.of("cifar10")).hasSize(15);
    }

    /** 145 cells, of which 19 do not even fit alone. */
    @Test
    void aJobThatDoesNotFitAloneHasNoProfile() {
        assertThat(XonarProfiles.all().stream()
                        .mapToInt(row -> row.byBatch().size())
                        .sum())
                .isEqualTo(145 - 19);
        assertThat(XonarProfiles.of("imagenet").stream()
                        .filter(row -> row.model().equals("inception4"))
                        .findFirst()
                        .orElseThrow()
                        .byBatch())
                .containsOnlyKeys(32, 64, 128);
    }

    @Test
    void aQueueIsTenJobsOfTwoGpusAtOnce() {
        Workload queue = WorkloadSpec.generate("xonar:", NODE, 1);

        assertThat(queue.jobs()).hasSize(10);
        for (SimulatedJob job : queue.jobs()) {
            assertThat(job.submitMillis()).isZero();
            assertThat(job.job().demand().minGpus()).isEqualTo(2);
            assertThat(job.durationMillis())
                    .isEqualTo(Math.round(100 * job.job().profile().iterationMillis()));
            assertThat(job.costs().firstLoadMillis()).isEqualTo(25_000);
            assertThat(job.peakMemoryMib()).isEqualTo(job.job().profile().peakMemoryMib());
        }
        assertThat(WorkloadSpec.generate("xonar:", NODE, 1)).isEqualTo(queue);
        assertThat(WorkloadSpec.generate("xonar:", NODE, 2).jobs()).isNotEqualTo(queue.jobs());
    }

    @Test
    void everyModelAndBatchSizeThatFitsIsDrawn() {
        List<SimulatedJob> jobs =
                WorkloadSpec.generate("xonar:jobs=5000", NODE, 1).jobs();

        assertThat(jobs.stream().map(j -> j.job().profile().model()).collect(Collectors.toSet()))
                .hasSize(145 - 19);
    }

    @Test
    void aSmallerGpuGetsOnlyFittingJobs() {
        Topology small =
                Topology.builder().node(new GpuType("small", 4096, 1), 2).build();
        Topology tiny = Topology.builder().node(new GpuType("tiny", 512, 1), 2).build();

        assertThat(WorkloadSpec.generate("xonar:jobs=500", small, 1).jobs()).allMatch(j -> j.peakMemoryMib() <= 4096);
        assertThatThrownBy(() -> WorkloadSpec.generate("xonar:", tiny, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("512 MiB");
    }

    @Test
    void aGapSpreadsTheArrivals() {
        List<SimulatedJob> jobs =
                WorkloadSpec.generate("xonar:jobs=2000,gap=60", NODE, 1).jobs();

        assertThat(jobs.get(1999).submitMillis() / 2000.0 / 1000).isCloseTo(60, within(4.0));
    }
}
