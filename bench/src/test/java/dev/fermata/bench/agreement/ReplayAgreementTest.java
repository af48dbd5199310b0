package dev.fermata.bench.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.history.HistoryEntry;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.replay.Fidelity;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.RecordedHistoryReader;
import dev.fermata.insight.replay.ReplayRunner;
import dev.fermata.insight.replay.ReplayWindow;
import dev.fermata.live.loop.LoopSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replays what a scheduler loop recorded, with a clock set by the test, from the written history alone: every job ends in the same
 * millisecond as it did. True run times and costs are not given; they are derived from the history.
 */
class ReplayAgreementTest {
    private static final int JOBS = 60;
    private static final LoopSettings SETTINGS = LoopSettings.DEFAULT.withGuard(GuardMode.PLAN);

    @TempDir
    Path folder;

    /** The last column: the daemon is killed and recovers after this many cycles, which a policy without memory does not notice. */
    @ParameterizedTest
    @CsvSource({
        "fermata,11,0",
        "fermata,12,0",
        "xion,13,0",
        "fitgpp,14,0",
        "srtf,15,0",
        "las,16,0",
        "fifo,17,0",
        "fifo,18,5"
    })
    void replayEndsEveryJobWhenItEnded(String policy, long seed, int killEvery) throws Exception {
        RandomSubmissions submissions = new RandomSubmissions(seed, JOBS, SETTINGS.assumedCosts());
        List<HistoryEntry> lines = new LiveLoopRun(submissions, policy, SETTINGS)
                .history(folder, killEvery == 0 ? Integer.MAX_VALUE : killEvery);
        RecordedHistory history = RecordedHistoryReader.read(
                written(lines), new ClusterInput("submissions", submissions.topology), Optional.of(policy));

        ReplayWindow window = ReplayWindow.of(history, Long.MIN_VALUE, Long.MAX_VALUE);
        PolicySpec spec = PolicySpec.parse(policy);
        ReplayRunner runner = new ReplayRunner(
                window, List.of(ReplayRunner.recordedPolicy(spec), spec), Optional.empty(), () -> false);
        MeasuredRun real = runner.recorded(ReplayRunner.recordedPolicy(spec));
        MeasuredRun simulated = runner.replay(spec, "live", () -> {}).orElseThrow();

        assertThat(window.measured()).hasSize(submissions.jobs.size());
        assertThat(simulated.result().jobs()).isEqualTo(real.result().jobs());
        Fidelity fidelity = Fidelity.of(real, simulated);
        assertThat(fidelity.metricErrors())
                .allSatisfy(line -> assertThat(line.error()).isZero());
        assertThat(fidelity.medianJobError()).isZero();
        assertThat(real.summary()).isEqualTo(simulated.summary());
    }

    /** As {@code fermata events -o json} writes it. */
    private Path written(List<HistoryEntry> lines) throws IOException {
        ObjectMapper json = new ObjectMapper();
        ArrayNode events = json.createArrayNode();
        for (HistoryEntry line : lines) {
            ObjectNode event = events.addObject();
            event.put("seq", line.seq());
            event.put("at", Instant.ofEpochMilli(line.atMillis()).toString());
            event.put("actor", line.actor());
            event.put("type", line.type());
            event.set("body", json.readTree(line.body()));
        }
        Path file = folder.resolve("history.json");
        json.writeValue(file.toFile(), events);
        return file;
    }
}
