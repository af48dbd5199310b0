package dev.fermata.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.sim.workload.SimulatedJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ground truth of a history: work, costs, ends, and the part that is replayed. */
class ReplayWindowTest {
    private static final Costs ESTIMATED = new Costs(5_000, 10_000, 1_000, 0);

    @TempDir
    private Path folder;

    @Test
    void workAndCostsAreThoseThatWereMeasured() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(1_000, job(1))
                .started(1_500, 1, 1, 0)
                .record(7_000, "policy", new HistoryRecord.Preempting(1, 1, 2, 10, 5))
                .attemptEnded(7_400, 1, 1, Outcome.PREEMPTED, usage(200, 5_300, 0, 390), JobState.PENDING)
                .started(9_000, 1, 2, 0)
                .attemptEnded(12_000, 1, 2, Outcome.COMPLETED, usage(500, 2_450, 0, 0), JobState.COMPLETED)
                .history(folder);

        SimulatedJob truth = all(history).workload().jobs().get(0);

        assertThat(truth.submitMillis()).isZero();
        assertThat(truth.durationMillis()).isEqualTo(5_300 + 2_450);
        assertThat(truth.costs().preemptMillis()).isEqualTo(400);
        assertThat(truth.costs().firstLoadMillis()).isEqualTo(5_900 - 5_300 - 400);
        assertThat(truth.costs().reloadMillis()).isEqualTo(3_000 - 2_450);
    }

    /** The process is up in the millisecond of its start; the script has loaded 600 and 550 ms later. */
    @Test
    void unobservedLoadingStaysUnobserved() throws IOException {
        SimulatedJob truth = all(new HistoryFileBuilder()
                        .submitted(1_000, job(1))
                        .started(1_500, 1, 1, 0)
                        .record(7_000, "policy", new HistoryRecord.Preempting(1, 1, 2, 10, 5))
                        .attemptEnded(7_400, 1, 1, Outcome.PREEMPTED, usage(600, 4_900, 0, 390), JobState.PENDING)
                        .started(9_000, 1, 2, 0)
                        .attemptEnded(12_000, 1, 2, Outcome.COMPLETED, usage(550, 2_450, 0, 0), JobState.COMPLETED)
                        .history(folder))
                .workload()
                .jobs()
                .get(0);

        assertThat(truth.overhead(1).hiddenLoadMillis()).isEqualTo(600);
        assertThat(truth.overhead(1).reportedRunningMillis(false)).isZero();
        assertThat(truth.overhead(2).hiddenLoadMillis()).isEqualTo(550);
        assertThat(truth.overhead(3).hiddenLoadMillis())
                .as("the mean of those there were")
                .isEqualTo(575);
        assertThat(truth.job().minRuntimeMillis()).isEqualTo(job(1).minRuntimeMillis());
    }

    @Test
    void unmeasuredCostsComeFromSimilarJobsElseFromEstimates() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(0, named(1, "train-1"))
                .started(0, 1, 1, 0)
                .record(2_000, "policy", new HistoryRecord.Preempting(1, 1, 9, 1, 1))
                .attemptEnded(2_700, 1, 1, Outcome.PREEMPTED, usage(100, 1_900, 0, 700), JobState.PENDING)
                .started(3_000, 1, 2, 0)
                .attemptEnded(5_000, 1, 2, Outcome.COMPLETED, usage(300, 1_700, 0, 0), JobState.COMPLETED)
                .submitted(6_000, named(2, "train-2"))
                .started(6_000, 2, 1, 0)
                .attemptEnded(9_000, 2, 1, Outcome.COMPLETED, usage(120, 2_880, 0, 0), JobState.COMPLETED)
                .submitted(9_000, named(3, "other"))
                .started(9_000, 3, 1, 0)
                .attemptEnded(9_900, 3, 1, Outcome.COMPLETED, usage(90, 810, 0, 0), JobState.COMPLETED)
                .history(folder);

        List<SimulatedJob> jobs = all(history).workload().jobs();

        assertThat(jobs.get(1).costs()).isEqualTo(new Costs(700, 120, 180, 0));
        assertThat(jobs.get(2).costs())
                .isEqualTo(new Costs(ESTIMATED.preemptMillis(), 90, ESTIMATED.restoreMillis(), 0));
    }

    @Test
    void failedAndCancelledJobsEndAsRecorded() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(0, job(1))
                .submitted(0, job(2))
                .submitted(0, job(3))
                .started(0, 1, 1, 0)
                .started(0, 2, 1, 1)
                .attemptEnded(4_000, 1, 1, Outcome.FAILED, usage(0, 0, 4_000, 0), JobState.FAILED)
                .started(4_000, 3, 1, 0)
                .record(6_000, "ann", new HistoryRecord.Cancelling(2, 1))
                .attemptEnded(6_000, 2, 1, Outcome.CANCELLED, usage(0, 0, 6_000, 0), JobState.CANCELLED)
                .attemptEnded(9_000, 3, 1, Outcome.COMPLETED, usage(0, 5_000, 0, 0), JobState.COMPLETED)
                .history(folder);

        List<JobResult> jobs = replayed(all(history)).result().jobs();

        assertThat(jobs)
                .extracting(JobResult::id, JobResult::state, JobResult::finishMillis)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, JobState.FAILED, 4_000L),
                        org.assertj.core.groups.Tuple.tuple(2L, JobState.CANCELLED, 6_000L),
                        org.assertj.core.groups.Tuple.tuple(3L, JobState.COMPLETED, 9_000L));
    }

    @Test
    void holdsAndReleasesAreRepeated() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(0, job(1))
                .record(0, "ann", new HistoryRecord.Held(1))
                .record(5_000, "ann", new HistoryRecord.Released(1))
                .started(5_000, 1, 1, 0)
                .attemptEnded(8_000, 1, 1, Outcome.COMPLETED, usage(0, 3_000, 0, 0), JobState.COMPLETED)
                .history(folder);

        assertThat(replayed(all(history)).result().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.firstStartMillis()).isEqualTo(5_000));
    }

    @Test
    void aLiveJobTakesPartAndIsNotMeasured() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(0, job(1))
                .started(0, 1, 1, 0)
                .submitted(1_000, job(2))
                .started(1_000, 2, 1, 1)
                .attemptEnded(3_000, 2, 1, Outcome.COMPLETED, usage(0, 2_000, 0, 0), JobState.COMPLETED)
                .history(folder);

        ReplayWindow window = all(history);

        assertThat(window.measured()).containsExactly(2L);
        assertThat(window.workload().jobs()).hasSize(2);
        assertThat(window.remarks()).anyMatch(remark -> remark.contains("1 job has not ended"));
        assertThat(replayed(window).result().jobs()).extracting(JobResult::id).containsExactly(2L);
    }

    @Test
    void aWindowBeginsWhenTheClusterWasLastIdle() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .submitted(0, job(1))
                .started(0, 1, 1, 0)
                .attemptEnded(2_000, 1, 1, Outcome.COMPLETED, usage(0, 2_000, 0, 0), JobState.COMPLETED)
                .submitted(5_000, job(2))
                .started(5_000, 2, 1, 0)
                .submitted(6_000, job(3))
                .attemptEnded(8_000, 2, 1, Outcome.COMPLETED, usage(0, 3_000, 0, 0), JobState.COMPLETED)
                .started(8_000, 3, 1, 0)
                .attemptEnded(9_000, 3, 1, Outcome.COMPLETED, usage(0, 1_000, 0, 0), JobState.COMPLETED)
                .submitted(20_000, job(4))
                .started(20_000, 4, 1, 0)
                .attemptEnded(21_000, 4, 1, Outcome.COMPLETED, usage(0, 1_000, 0, 0), JobState.COMPLETED)
                .history(folder);

        ReplayWindow window = ReplayWindow.of(history, 5_500, 10_000);

        assertThat(window.measured()).containsExactly(2L, 3L);
        assertThat(window.originMillis()).isEqualTo(5_000);
        assertThat(window.past()).extracting(job -> job.job().id()).containsExactly(1L);
    }

    private static ReplayWindow all(RecordedHistory history) {
        return ReplayWindow.of(history, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static MeasuredRun replayed(ReplayWindow window) {
        PolicySpec policy = PolicySpec.parse("fifo");
        return new ReplayRunner(window, List.of(policy), Optional.empty(), () -> false)
                .replay(policy, "live", () -> {})
                .orElseThrow();
    }

    private static Usage usage(long load, long useful, long lost, long pause) {
        return new Usage(load, useful, lost, pause, 0, useful);
    }

    private static Job job(long id) {
        return named(id, "job-" + id);
    }

    private static Job named(long id, String name) {
        return Job.builder(id, 1).name(name).user("ann").costs(ESTIMATED).build();
    }
}
