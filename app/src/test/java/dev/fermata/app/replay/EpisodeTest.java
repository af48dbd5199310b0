package dev.fermata.app.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.app.run.Measured;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.workload.TrueJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What hindsight makes of a history: work, costs, ends, and which part of it is played. */
class EpisodeTest {
    private static final Costs BELIEVED = new Costs(5_000, 10_000, 1_000, 0);

    @TempDir
    private Path folder;

    @Test
    void workAndCostsAreThoseThatWereMeasured() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(1_000, job(1))
                .started(1_500, 1, 1, 0)
                .line(7_000, "policy", new Fact.Pausing(1, 1, 2, 10, 5))
                .left(7_400, 1, 1, Outcome.PAUSED, usage(200, 5_300, 0, 390), JobState.PENDING)
                .started(9_000, 1, 2, 0)
                .left(12_000, 1, 2, Outcome.COMPLETED, usage(500, 2_450, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        TrueJob truth = all(chronicle).workload().jobs().get(0);

        assertThat(truth.submitMillis()).isZero();
        assertThat(truth.durationMillis()).isEqualTo(5_300 + 2_450);
        assertThat(truth.costs().pauseMillis()).isEqualTo(400);
        assertThat(truth.costs().firstLoadMillis()).isEqualTo(5_900 - 5_300 - 400);
        assertThat(truth.costs().reloadMillis()).isEqualTo(3_000 - 2_450);
    }

    /** The process is up in the millisecond of its start; the script has loaded 600 and 550 ms later. */
    @Test
    void loadingThatNobodySawIsPlayedUnseen() throws IOException {
        TrueJob truth = all(new Written()
                        .submitted(1_000, job(1))
                        .started(1_500, 1, 1, 0)
                        .line(7_000, "policy", new Fact.Pausing(1, 1, 2, 10, 5))
                        .left(7_400, 1, 1, Outcome.PAUSED, usage(600, 4_900, 0, 390), JobState.PENDING)
                        .started(9_000, 1, 2, 0)
                        .left(12_000, 1, 2, Outcome.COMPLETED, usage(550, 2_450, 0, 0), JobState.COMPLETED)
                        .chronicle(folder))
                .workload()
                .jobs()
                .get(0);

        assertThat(truth.toll(1).unseenMillis()).isEqualTo(600);
        assertThat(truth.toll(1).seenMillis(false)).isZero();
        assertThat(truth.toll(2).unseenMillis()).isEqualTo(550);
        assertThat(truth.toll(3).unseenMillis())
                .as("the mean of those there were")
                .isEqualTo(575);
        assertThat(truth.job().minRuntimeMillis()).isEqualTo(job(1).minRuntimeMillis());
    }

    @Test
    void costsNobodyMeasuredAreThoseOfTheFamilyElseWhatWasBelieved() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(0, named(1, "train-1"))
                .started(0, 1, 1, 0)
                .line(2_000, "policy", new Fact.Pausing(1, 1, 9, 1, 1))
                .left(2_700, 1, 1, Outcome.PAUSED, usage(100, 1_900, 0, 700), JobState.PENDING)
                .started(3_000, 1, 2, 0)
                .left(5_000, 1, 2, Outcome.COMPLETED, usage(300, 1_700, 0, 0), JobState.COMPLETED)
                .submitted(6_000, named(2, "train-2"))
                .started(6_000, 2, 1, 0)
                .left(9_000, 2, 1, Outcome.COMPLETED, usage(120, 2_880, 0, 0), JobState.COMPLETED)
                .submitted(9_000, named(3, "other"))
                .started(9_000, 3, 1, 0)
                .left(9_900, 3, 1, Outcome.COMPLETED, usage(90, 810, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        List<TrueJob> jobs = all(chronicle).workload().jobs();

        assertThat(jobs.get(1).costs()).isEqualTo(new Costs(700, 120, 180, 0));
        assertThat(jobs.get(2).costs()).isEqualTo(new Costs(BELIEVED.pauseMillis(), 90, BELIEVED.restoreMillis(), 0));
    }

    @Test
    void failedAndCancelledJobsEndAsTheyDid() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(0, job(1))
                .submitted(0, job(2))
                .submitted(0, job(3))
                .started(0, 1, 1, 0)
                .started(0, 2, 1, 1)
                .left(4_000, 1, 1, Outcome.FAILED, usage(0, 0, 4_000, 0), JobState.FAILED)
                .started(4_000, 3, 1, 0)
                .line(6_000, "ann", new Fact.Cancelling(2, 1))
                .left(6_000, 2, 1, Outcome.CANCELLED, usage(0, 0, 6_000, 0), JobState.CANCELLED)
                .left(9_000, 3, 1, Outcome.COMPLETED, usage(0, 5_000, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        List<JobResult> jobs = replayed(all(chronicle)).result().jobs();

        assertThat(jobs)
                .extracting(JobResult::id, JobResult::state, JobResult::finishMillis)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, JobState.FAILED, 4_000L),
                        org.assertj.core.groups.Tuple.tuple(2L, JobState.CANCELLED, 6_000L),
                        org.assertj.core.groups.Tuple.tuple(3L, JobState.COMPLETED, 9_000L));
    }

    @Test
    void aHoldIsAskedForAgainAndSoIsTheRelease() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(0, job(1))
                .line(0, "ann", new Fact.Held(1))
                .line(5_000, "ann", new Fact.Released(1))
                .started(5_000, 1, 1, 0)
                .left(8_000, 1, 1, Outcome.COMPLETED, usage(0, 3_000, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        assertThat(replayed(all(chronicle)).result().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.firstStartMillis()).isEqualTo(5_000));
    }

    @Test
    void aJobThatLivesTakesPartAndIsNotMeasured() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(0, job(1))
                .started(0, 1, 1, 0)
                .submitted(1_000, job(2))
                .started(1_000, 2, 1, 1)
                .left(3_000, 2, 1, Outcome.COMPLETED, usage(0, 2_000, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        Episode episode = all(chronicle);

        assertThat(episode.measured()).containsExactly(2L);
        assertThat(episode.workload().jobs()).hasSize(2);
        assertThat(episode.remarks()).anyMatch(remark -> remark.contains("1 job has not ended"));
        assertThat(replayed(episode).result().jobs()).extracting(JobResult::id).containsExactly(2L);
    }

    @Test
    void aPartBeginsWhenTheClusterWasLastEmpty() throws IOException {
        Chronicle chronicle = new Written()
                .submitted(0, job(1))
                .started(0, 1, 1, 0)
                .left(2_000, 1, 1, Outcome.COMPLETED, usage(0, 2_000, 0, 0), JobState.COMPLETED)
                .submitted(5_000, job(2))
                .started(5_000, 2, 1, 0)
                .submitted(6_000, job(3))
                .left(8_000, 2, 1, Outcome.COMPLETED, usage(0, 3_000, 0, 0), JobState.COMPLETED)
                .started(8_000, 3, 1, 0)
                .left(9_000, 3, 1, Outcome.COMPLETED, usage(0, 1_000, 0, 0), JobState.COMPLETED)
                .submitted(20_000, job(4))
                .started(20_000, 4, 1, 0)
                .left(21_000, 4, 1, Outcome.COMPLETED, usage(0, 1_000, 0, 0), JobState.COMPLETED)
                .chronicle(folder);

        Episode episode = Episode.of(chronicle, 5_500, 10_000);

        assertThat(episode.measured()).containsExactly(2L, 3L);
        assertThat(episode.originMillis()).isEqualTo(5_000);
        assertThat(episode.past()).extracting(job -> job.job().id()).containsExactly(1L);
    }

    private static Episode all(Chronicle chronicle) {
        return Episode.of(chronicle, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static Measured replayed(Episode episode) {
        PolicySpec policy = PolicySpec.parse("fifo");
        return new Rerun(episode, List.of(policy), Optional.empty(), () -> false)
                .under(policy, "live", () -> {})
                .orElseThrow();
    }

    private static Usage usage(long load, long useful, long lost, long pause) {
        return new Usage(load, useful, lost, pause, 0, useful);
    }

    private static Job job(long id) {
        return named(id, "job-" + id);
    }

    private static Job named(long id, String name) {
        return Job.builder(id, 1).name(name).user("ann").costs(BELIEVED).build();
    }
}
