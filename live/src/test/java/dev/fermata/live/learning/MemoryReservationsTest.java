package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs share a GPU only once their memory is known; one that exceeds its reservation is started once more. */
class MemoryReservationsTest {
    private static final int GPU_MEMORY_MIB = LoopFixture.GPU_TYPE.memoryMib();

    private final LoopFixture fixture = new LoopFixture("fermata:pays=0", 1);

    /** One job with the profile key of all others has ended with this peak memory. */
    private void learnProgram(int peakMib, int busyPermille) {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(1000);
        fixture.engine.endMeasured(1, Outcome.COMPLETED, peakMib, busyPermille, ExhaustedResource.NONE);
        fixture.advance(10);
    }

    private void start(long... jobs) {
        for (long job : jobs) {
            assertThat(fixture.row(job).state()).as("job %s", job).isEqualTo(JobState.STARTING);
            fixture.engine.running(job);
        }
        fixture.advance(10);
    }

    @Test
    void unknownJobsAreNeverCoLocated() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        assertThat(reservedMib(1)).isZero();
    }

    @Test
    void jobsOfAKnownProgramAreCoLocatedWithinTheirReservations() {
        learnProgram(20_000, 300);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        start(2, 3);

        assertThat(reservedMib(2)).isEqualTo(21_000);
        assertThat(reservedMib(3)).isEqualTo(21_000);
        assertThat(fixture.service().gpus().get(0).jobs()).containsExactly(2L, 3L);
    }

    @Test
    void coLocatedAttemptDoesNotChangeBusyShareAfterACrash() {
        learnProgram(20_000, 300);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        start(2, 3);
        fixture.restart();
        fixture.engine.endMeasured(2, Outcome.COMPLETED, 19_000, 900, ExhaustedResource.NONE);
        fixture.advance(10);

        assertThat(samples().summary(ProfileMetric.PEAK_MEMORY_MIB).count()).isEqualTo(2);
        assertThat(samples().summary(ProfileMetric.BUSY_PERMILLE).count()).isEqualTo(1);
    }

    @Test
    void jobsThatDoNotFitInMemoryAreNotCoLocated() {
        learnProgram(45_000, 100);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        start(2);
        assertThat(fixture.row(3).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobsThatKeepAGpuBusyAreNotCoLocated() {
        learnProgram(10_000, 1000);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        start(2);
        assertThat(fixture.row(3).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void outOfMemoryWithinAReservationIsRetriedOnceOnAWholeGpuAndLearned() {
        learnProgram(20_000, 300);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        start(2, 3);
        fixture.engine.endMeasured(2, Outcome.OOM, 22_000, -1, ExhaustedResource.GPU_MEMORY);
        fixture.advance(10);
        assertThat(fixture.row(2).state()).as("another job is on the GPU").isEqualTo(JobState.PENDING);
        assertThat(samples().max(ProfileMetric.FAILED_MEMORY_MIB)).isEqualTo(21_000);

        fixture.engine.end(3, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        start(2);
        assertThat(reservedMib(2)).isEqualTo(GPU_MEMORY_MIB);
        fixture.submit(TestSpec.gpus(1));
        assertThat(fixture.row(4).state()).as("a whole GPU is not shared").isEqualTo(JobState.PENDING);

        fixture.engine.endMeasured(2, Outcome.OOM, GPU_MEMORY_MIB, -1, ExhaustedResource.GPU_MEMORY);
        fixture.advance(10);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.OOM);
        assertThat(fixture.row(2).detail()).contains("all memory of its GPU");
    }

    @Test
    void outOfMemoryOnAWholeGpuIsNotRetried() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.engine.endMeasured(1, Outcome.OOM, -1, -1, ExhaustedResource.GPU_MEMORY);
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.OOM);
    }

    @Test
    void outOfHostMemoryIsRetriedOnce() {
        fixture.submit(TestSpec.gpus(1));
        for (JobState after : new JobState[] {JobState.STARTING, JobState.OOM}) {
            fixture.engine.running(1);
            fixture.advance(10);
            fixture.engine.endMeasured(1, Outcome.OOM, -1, -1, ExhaustedResource.HOST_MEMORY);
            fixture.advance(10);
            assertThat(fixture.row(1).state()).isEqualTo(after);
        }
    }

    @Test
    void pendingJobsAreUpdatedByMeasurementsAndOverrides() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1), TestSpec.gpus(1));
        start(1);
        fixture.engine.endMeasured(1, Outcome.COMPLETED, 20_000, 300, ExhaustedResource.NONE);
        fixture.advance(10);
        fixture.advance(10);
        start(2, 3);
        assertThat(reservedMib(3)).isEqualTo(21_000);

        ProfileKey key = onlyKey();
        fixture.runAndGet(fixture.service()
                .updateProfiles(
                        LoopFixture.ANN,
                        "profiles",
                        Map.of(key, n -> n.withOverrides(Map.of(ProfileMetric.PEAK_MEMORY_MIB, 30_000L)))));
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.end(2, Outcome.COMPLETED, 0, "");
        fixture.engine.end(3, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        assertThat(reservedMib(4)).isEqualTo(30_000);
        fixture.restart();
        assertThat(reservedMib(4)).isEqualTo(30_000);
        assertThat(samples().overrides()).containsEntry(ProfileMetric.PEAK_MEMORY_MIB, 30_000L);

        fixture.runAndGet(
                fixture.service().updateProfiles(LoopFixture.ANN, "forget", Map.of(key, n -> ProfileSamples.NONE)));
        assertThat(fixture.runAndGet(fixture.service().profiles())).isEmpty();
    }

    private int reservedMib(long job) {
        return Objects.requireNonNull(fixture.engine.onGpus.get(job)).gpuMemoryReservationMib();
    }

    private ProfileKey onlyKey() {
        Set<ProfileKey> keys = fixture.runAndGet(fixture.service().profiles()).keySet();
        assertThat(keys).hasSize(1);
        return keys.iterator().next();
    }

    private ProfileSamples samples() {
        return Objects.requireNonNull(
                fixture.runAndGet(fixture.service().profiles()).get(onlyKey()));
    }
}
