package dev.fermata.core.policy.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoRunModelTest {
    @Test
    void twoHalfBusyJobsSlowEachOtherOnlyByInterference() {
        assertThat(CoRunModel.coRunGain(0.5, 0.5)).isCloseTo(2 / 1.15 - 1, within(1e-9));
    }

    @Test
    void twoBusyJobsLoseThroughput() {
        assertThat(CoRunModel.coRunGain(1, 1)).isCloseTo(1 / 1.15 - 1, within(1e-9)); // each at 1/2.3
    }

    /** b = 0.8 twice: 0.8/(0.2+0.8k) = 1/2 at k = 1.75, so each iteration takes 1.6 x 1.15. */
    @Test
    void theCommonSlowdownIsSolved() {
        assertThat(CoRunModel.coRunGain(0.8, 0.8)).isCloseTo(2 / (1.6 * 1.15) - 1, within(1e-6));
    }

    @Test
    void aBusierNeighbourNeverGainsMore() {
        for (double own = 0.05; own <= 1; own += 0.05) {
            double before = Double.MAX_VALUE;
            for (double other = 0.05; other <= 1; other += 0.05) {
                double gain = CoRunModel.coRunGain(own, other);
                assertThat(gain).isLessThanOrEqualTo(before + 1e-9);
                before = gain;
            }
        }
    }

    /**
     * Two gangs of two on one node, and a third across both: it runs at 1/1.15, and slows all four GPUs of the others by as much, not only
     * the two it is on.
     */
    @Test
    void theSlowdownOfAGangCountsOnAllItsGpus() {
        Topology four =
                Topology.builder().rack().node(GpuCatalogue.byName("V100"), 4).build();
        CoLocatedJobs coLocatedJobs = new CoLocatedJobs(four, gpu -> {});
        coLocatedJobs.add(halfBusy(1), Allocation.of(four, new int[] {0, 1}, true));
        coLocatedJobs.add(halfBusy(2), Allocation.of(four, new int[] {2, 3}, true));

        double gain = new CoRunModel(coLocatedJobs).gain(halfBusy(3), new int[] {1, 2});

        assertThat(gain).isCloseTo(2 / 1.15 - 4 * (1 - 1 / 1.15), within(1e-9));
    }

    private static PastJob halfBusy(long id) {
        Profile half = new Profile("", 100, 0.5, 0, 1, 0, Map.of());
        return PastJob.of(Job.builder(id, 2).profile(half).build(), JobState.RUNNING, 0);
    }
}
