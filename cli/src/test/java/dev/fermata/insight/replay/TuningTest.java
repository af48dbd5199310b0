package dev.fermata.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.CommandRun;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.replay.TuningPage;
import dev.fermata.report.text.Screen;
import dev.fermata.sim.workload.Rng;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The search for settings: repeatable, within the limits of every parameter, and judged on jobs that it did not search on. */
class TuningTest {
    private static final int TRIALS = 12;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("policies")
    void everyPointIsASettingThatThePolicyTakes(String name) {
        ParameterSpace space = new ParameterSpace(PolicySpec.parse(name));
        Rng rng = Rng.stream(7, 0);
        List<double[]> points = space.latinHypercube(50, rng);
        for (double edge : new double[] {0, 0.5, 1, ParameterSpace.UNCHANGED}) {
            double[] corner = new double[space.count()];
            Arrays.fill(corner, edge);
            points.add(corner);
        }
        List<PolicySpec> settings =
                points.stream().map(space::policyAt).flatMap(Optional::stream).toList();
        assertThat(settings).hasSizeGreaterThan(points.size() / 4); // dally's two timers may contradict each other
        assertThat(settings).allSatisfy(setting -> {
            assertThat(setting.info().name()).isEqualTo(name);
            assertThat(setting.text()).doesNotContain("guard=false");
        });
        assertThat(settings.get(settings.size() - 1).text()).isEqualTo(name);
    }

    static List<String> policies() {
        return PolicyCatalogue.names();
    }

    @Test
    void resultIsDeterministicAndSortedBySearchValue() throws IOException {
        ReplayWindow window = ReplayWindow.of(history(60, 0), Long.MIN_VALUE, Long.MAX_VALUE);

        Tuning.TuningResult one = tuned(window);
        Tuning.TuningResult other = tuned(window);

        assertThat(figures(one)).isEqualTo(figures(other));
        assertThat(one.searchJobs()).isEqualTo(40);
        assertThat(one.heldOutJobs()).isEqualTo(20);
        assertThat(one.candidates()).isSortedAccordingTo(Comparator.comparingDouble(Tuning.Candidate::searchValue));
        assertThat(one.candidates().get(0).searchValue())
                .isLessThanOrEqualTo(one.present().searchValue());
        one.proposal().ifPresent(best -> assertThat(best.change().high()).isNegative());
    }

    /** Whatever became of the jobs that are held out, the search sees the same. */
    @Test
    void theSearchDoesNotSeeWhatIsHeldOut() throws IOException {
        Tuning.TuningResult one = tuned(ReplayWindow.of(history(60, 0), Long.MIN_VALUE, Long.MAX_VALUE));
        Tuning.TuningResult other = tuned(ReplayWindow.of(history(60, 900), Long.MIN_VALUE, Long.MAX_VALUE));

        assertThat(one.candidates())
                .extracting(c -> c.policy().text())
                .isEqualTo(
                        other.candidates().stream().map(c -> c.policy().text()).toList());
        assertThat(one.candidates())
                .extracting(Tuning.Candidate::searchValue)
                .isEqualTo(other.candidates().stream()
                        .map(Tuning.Candidate::searchValue)
                        .toList());
        assertThat(one.present().heldOutValue()).isNotEqualTo(other.present().heldOutValue());
    }

    @Test
    void pageShowsEveryEvaluationParameterAndHeldOutJob() throws IOException {
        Tuning.TuningResult answer = tuned(ReplayWindow.of(history(60, 0), Long.MIN_VALUE, Long.MAX_VALUE));
        ReportOrigin origin = new ReportOrigin("fermata tune", "0", "3");
        String page = new TuningPage(answer, Objective.MEAN_JCT, "live").html(origin, List.of("A remark."));

        ParameterSpace space = new ParameterSpace(answer.present().policy());
        assertThat(answer.evaluations()).hasSizeBetween(2, TRIALS + 1 + space.count());
        assertThat(space.tunable())
                .isNotEmpty()
                .allSatisfy(parameter ->
                        assertThat(page).contains("meanJct by " + parameter.name(), "plot-trials-" + parameter.name()));
        assertThat(page)
                .contains("Completion times of the jobs held out", "Waiting of the jobs held out", "A remark.")
                .contains(answer.candidates().get(0).policy().text(), "95 % interval");
        assertThat(page)
                .isEqualTo(new TuningPage(answer, Objective.MEAN_JCT, "live").html(origin, List.of("A remark.")));
    }

    @Test
    void commandWritesThePageAndKeepsTheHistory() throws IOException {
        history(60, 0);
        Path events = folder.resolve("history.json");
        Path page = folder.resolve("tune.html");
        CommandRun run = tune("--events", events.toString(), "--report", page.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Files.readString(page)).contains("Fermata: settings of las", "fermata tune --policy las");

        String before = Files.readString(events);
        assertThat(tune("--events", events.toString(), "--report", events.toString())
                        .code())
                .isEqualTo(2);
        assertThat(Files.readString(events)).isEqualTo(before);
    }

    private CommandRun tune(String... more) {
        List<String> args = new ArrayList<>(List.of("tune", "--policy", "las", "--was", "fifo", "--trials", "3"));
        args.addAll(List.of(more));
        return CommandRun.in(
                new Invocation(Map.of(), folder, Screen.PIPE, new Interruption()), args.toArray(String[]::new));
    }

    @Test
    void onlySignificantChangesAreCertain() {
        List<JobResult> now = results(id -> 10_000 + 100 * id);

        HeldOutChange halved =
                HeldOutChange.of(Objective.MEAN_JCT, now, results(id -> 5_000 + 50 * id), Rng.stream(1, 1));
        HeldOutChange chance = HeldOutChange.of(
                Objective.MEAN_JCT, now, results(id -> 10_000 + 100 * id + (id * 37 % 11 - 5) * 400), Rng.stream(1, 1));

        assertThat(halved.change()).isEqualTo(-0.5);
        assertThat(halved.high()).isNegative();
        assertThat(chance.low()).isNegative();
        assertThat(chance.high()).isPositive();
    }

    private static List<String> figures(Tuning.TuningResult answer) {
        return answer.candidates().stream()
                .map(c -> c.policy().text() + " " + c.searchValue() + " " + c.heldOutValue() + " " + c.change())
                .toList();
    }

    private static Tuning.TuningResult tuned(ReplayWindow window) {
        return new Tuning(window, PolicySpec.parse("las:threshold=2"), "live", Objective.MEAN_JCT, () -> false)
                .run(TRIALS, 3, made -> {}, () -> false)
                .orElseThrow();
    }

    private static List<JobResult> results(ToLongFunction<Long> jct) {
        List<JobResult> results = new ArrayList<>();
        for (long id = 0; id < 60; id++) {
            long end = id * 1000 + jct.applyAsLong(id);
            results.add(new JobResult(
                    new JobResult.JobIdentity(id, "job", JobClass.BATCH, 1),
                    JobState.COMPLETED,
                    new JobResult.Times(id * 1000, id * 1000, end),
                    new JobResult.Durations(0, end, 0),
                    0,
                    1,
                    0,
                    null));
        }
        return results;
    }

    /** One GPU, one job after the other as they came; {@code longer} is added to each of the last third. */
    private RecordedHistory history(int jobs, long longer) throws IOException {
        Rng rng = Rng.stream(5, 0);
        HistoryFileBuilder written = new HistoryFileBuilder();
        long[] ends = new long[jobs];
        for (int i = 0; i < jobs; i++) {
            written.submitted(
                    i * 2_000L,
                    Job.builder(i + 1, 1).name("train-" + i).user("ann").build());
            ends[i] = 500 + Math.round(rng.exponential(2_500)) + (i >= jobs * 2 / 3 ? longer : 0);
        }
        long free = jobs * 2_000L;
        for (int i = 0; i < jobs; i++) {
            written.started(free, i + 1, 1, 0);
            free += ends[i];
            written.attemptEnded(
                    free, i + 1, 1, Outcome.COMPLETED, new Usage(0, ends[i], 0, 0, 0, ends[i]), JobState.COMPLETED);
        }
        return written.history(folder);
    }
}
