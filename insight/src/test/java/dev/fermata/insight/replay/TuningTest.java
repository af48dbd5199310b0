package dev.fermata.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.workload.Rng;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
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
        ReplayWindow window = ReplayWindow.of(TuningHistory.write(folder, 60, 0), Long.MIN_VALUE, Long.MAX_VALUE);

        Tuning.TuningResult one = tuned(window);
        Tuning.TuningResult other = tuned(window);

        assertThat(figures(one)).isEqualTo(figures(other));
        ParameterSpace space = new ParameterSpace(one.present().policy());
        assertThat(one.evaluations()).hasSizeBetween(2, TRIALS + 1 + space.count());
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
        Tuning.TuningResult one =
                tuned(ReplayWindow.of(TuningHistory.write(folder, 60, 0), Long.MIN_VALUE, Long.MAX_VALUE));
        Tuning.TuningResult other =
                tuned(ReplayWindow.of(TuningHistory.write(folder, 60, 900), Long.MIN_VALUE, Long.MAX_VALUE));

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
}
