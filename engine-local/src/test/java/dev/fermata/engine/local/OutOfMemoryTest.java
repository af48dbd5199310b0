package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import org.junit.jupiter.api.Test;

/** Jobs that fail with the message of a full memory, and jobs that only mention it. */
class OutOfMemoryTest extends LocalEngineTestBase {
    private static final String CUDA = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";

    @Test
    void failingJobWithMemoryMessageIsOutOfMemory() {
        Launch launch = fixture.start(1, new JobSpecBuilder("echo '" + CUDA + "' >&2; exit 1"));
        LocalEngineFixture.AttemptEndRecord end = fixture.awaitEnd(launch);
        assertThat(end.outcome()).isEqualTo(Outcome.OOM);
        assertThat(end.exit().exhaustedResource()).isEqualTo(ExhaustedResource.GPU_MEMORY);
        assertThat(end.exit().detail()).contains("its GPU was out of memory", "Tried to allocate");
    }

    @Test
    void succeedingJobWithMemoryMessageIsNotOutOfMemory() {
        Launch well = fixture.start(1, new JobSpecBuilder("echo '" + CUDA + "' >&2; exit 0"));
        assertThat(fixture.awaitEnd(well).outcome()).isEqualTo(Outcome.COMPLETED);
        Launch aside =
                fixture.start(2, new JobSpecBuilder("echo '" + CUDA + "'; echo 'cannot read the data' >&2; exit 1"));
        assertThat(fixture.awaitEnd(aside).outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void standardOutputCountsWhenStandardErrorIsEmpty() {
        Launch launch = fixture.start(1, new JobSpecBuilder("exec 2>&1; echo '" + CUDA + "'; exit 1"));
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.OOM);
    }

    @Test
    void oneRankOutOfMemoryIsEnough() {
        Launch launch = fixture.start(
                1, new JobSpecBuilder("[ $RANK = 1 ] && { echo '" + CUDA + "' >&2; exit 1; }; sleep 30").ranks(2));
        assertThat(fixture.awaitEnd(launch).outcome()).isEqualTo(Outcome.OOM);
    }
}
