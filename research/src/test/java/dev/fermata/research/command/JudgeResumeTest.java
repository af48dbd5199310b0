package dev.fermata.research.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.saved.SaveLocation;
import dev.fermata.research.judge.CellResult;
import dev.fermata.research.judge.JudgeCell;
import dev.fermata.research.judge.JudgeRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interrupted judgement goes on where it stopped, in the middle of generated workloads or of traces. */
class JudgeResumeTest {
    private static final List<Long> SEEDS = List.of(1L, 2L);

    @TempDir
    private Path folder;

    private JudgeRunner runner(Interruption interruption) throws IOException {
        Path trace = Files.writeString(
                folder.resolve("trace.csv"), "id,submit_s,gpus,duration_s\n1,0,1,100\n2,10,2,50\n3,20,1,70\n");
        List<JudgeCell> cells = List.of(
                new JudgeCell("generated", "1x2:V100", "synthetic:jobs=20", "none", "none", "none"),
                new JudgeCell("trace", "1x2:V100", trace.toString(), "none", "none", "none"));
        List<PolicySpec> policies =
                Stream.of("fermata", "srsf", "las").map(PolicySpec::parse).toList();
        return new JudgeRunner(cells, List.of("oracle"), policies, interruption);
    }

    private List<CellResult> run(JudgeRunner runner, RunProgress progress, boolean resume) {
        SaveLocation cache = new SaveLocation(null, resume, Map.of("XDG_CACHE_HOME", folder.toString()));
        return runner.run(SEEDS, List.of(7L), 1, progress, cache);
    }

    @Test
    void everyInterruptionCanBeResumed() throws IOException {
        List<Double> whole = means(run(runner(new Interruption()), RunProgress.NONE, false));
        for (int runs = 1; runs < 9; runs++) {
            int stopAt = runs;
            Interruption interruption = new Interruption();
            JudgeRunner stopped = runner(interruption);
            run(stopped, new StopAfter(stopAt, interruption), false);
            assertThat(stopped.isComplete()).isFalse();
            assertThat(stopped.progress()).isEqualTo((stopAt - 1) + " of 9 runs done");

            JudgeRunner resumed = runner(new Interruption());
            assertThat(means(run(resumed, RunProgress.NONE, true))).isEqualTo(whole);
            assertThat(resumed.isComplete()).isTrue();
        }
    }

    private static List<Double> means(List<CellResult> results) {
        assertThat(results).hasSize(2);
        return results.stream().map(result -> result.meanJctSeconds("fermata")).toList();
    }

    /** Interrupts when this many runs have begun. */
    private static final class StopAfter implements RunProgress {
        private final int runs;
        private final Interruption interruption;
        private int begun;

        StopAfter(int runs, Interruption interruption) {
            this.runs = runs;
            this.interruption = interruption;
        }

        @Override
        public RunTrack begin(String label, String policy, int jobs) {
            if (++begun == runs) {
                interruption.request();
            }
            return new RunTrack() {};
        }
    }
}
