package dev.fermata.report.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.replay.Objective;
import dev.fermata.insight.replay.ParameterSpace;
import dev.fermata.insight.replay.ReplayWindow;
import dev.fermata.insight.replay.Tuning;
import dev.fermata.insight.replay.TuningHistory;
import dev.fermata.report.html.ReportOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a search for settings. */
class TuningPageTest {
    @TempDir
    private Path folder;

    @Test
    void pageShowsEveryParameterAndHeldOutJob() throws IOException {
        ReplayWindow window = ReplayWindow.of(TuningHistory.write(folder, 60, 0), Long.MIN_VALUE, Long.MAX_VALUE);
        Tuning.TuningResult answer = new Tuning(
                        window, PolicySpec.parse("las:threshold=2"), "live", Objective.MEAN_JCT, () -> false)
                .run(12, 3, made -> {}, () -> false)
                .orElseThrow();
        ReportOrigin origin = new ReportOrigin("fermata tune", "0", "3");
        String page = new TuningPage(answer, Objective.MEAN_JCT, "live").html(origin, List.of("A remark."));

        ParameterSpace space = new ParameterSpace(answer.present().policy());
        assertThat(space.tunable())
                .isNotEmpty()
                .allSatisfy(parameter -> assertThat(page)
                        .contains("meanJct by " + parameter.name(), "plot-evaluations-" + parameter.name()));
        assertThat(page)
                .contains("Completion times of the jobs held out", "Waiting of the jobs held out", "A remark.")
                .contains(answer.candidates().get(0).policy().text(), "95 % interval");
        assertThat(page)
                .isEqualTo(new TuningPage(answer, Objective.MEAN_JCT, "live").html(origin, List.of("A remark.")));
    }
}
