package dev.fermata.live.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The jobs in the way are those whose ends let the pending job start first. */
class BlockingJobsTest {
    private static List<Long> blocking(LoopFixture fixture, long job) {
        return jobs(fixture, job).stream().map(BlockingJob::job).toList();
    }

    private static List<BlockingJob> jobs(LoopFixture fixture, long job) {
        return fixture.runAndGet(fixture.service().explain(job)).blockedBy();
    }

    @Test
    void theFirstToEndAreInTheWayAndNoMoreThanNeeded() {
        LoopFixture fixture = new LoopFixture("fifo", 4);
        fixture.submit(
                TestSpec.gpus(2).time(90_000),
                TestSpec.gpus(1).time(20_000),
                TestSpec.gpus(1).time(40_000));
        fixture.submit(TestSpec.gpus(2).time(10_000), TestSpec.gpus(4).time(10_000));

        assertThat(blocking(fixture, 4)).containsExactly(2L, 3L);
        assertThat(blocking(fixture, 5)).containsExactly(2L, 3L, 1L);
        BlockingJob first = jobs(fixture, 4).get(0);
        assertThat(first.user()).isEqualTo("ann");
        assertThat(first.gpus()).isEqualTo(1);
        assertThat(first.expectedEnd()).isNotNull();
    }

    @Test
    void aGangThatFitsOnANodeWaitsForTheNodeThatIsFreeFirst() {
        LoopFixture fixture = new LoopFixture("fifo", 2, 2);
        fixture.submit(
                TestSpec.gpus(2).time(60_000),
                TestSpec.gpus(1).time(10_000),
                TestSpec.gpus(1).time(500_000));
        fixture.submit(TestSpec.gpus(2).time(10_000), TestSpec.gpus(3).time(10_000));

        assertThat(blocking(fixture, 4)).containsExactly(1L);
        assertThat(blocking(fixture, 5))
                .as("on no single node: the first to end anywhere")
                .containsExactly(2L, 1L);
    }

    @Test
    void dependenciesAndQueueLimitsNameTheirJobs() {
        LoopFixture fixture = new LoopFixture("fifo", 4);
        fixture.runAndGet(fixture.service().setQueues(LoopFixture.ANN, List.of(new QueueRule("lab", 0, 1, 1))));
        fixture.submit(
                TestSpec.gpus(1).queue("lab"),
                TestSpec.gpus(1),
                TestSpec.gpus(1).queue("lab"));
        fixture.submit(TestSpec.gpus(1).after(new Dependency(2, Dependency.Condition.SUCCESS)));

        assertThat(blocking(fixture, 3)).containsExactly(1L);
        assertThat(blocking(fixture, 4)).containsExactly(2L);
    }

    @Test
    void nothingIsInTheWayOfAJobThatRunsOrIsHeld() {
        LoopFixture fixture = new LoopFixture("fifo", 1);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1).held());

        assertThat(fixture.runAndGet(fixture.service().explain(1)).state()).isNotEqualTo(JobState.PENDING);
        assertThat(blocking(fixture, 1)).isEmpty();
        assertThat(blocking(fixture, 2)).isEmpty();
    }
}
