package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.replay.Chronicle;
import dev.fermata.app.replay.ChronicleReader;
import dev.fermata.app.replay.Episode;
import dev.fermata.app.replay.Fidelity;
import dev.fermata.app.replay.Rerun;
import dev.fermata.app.run.Measured;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.store.Line;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a conductor with a clock turned by hand recorded, replayed from nothing but the written history: every job ends in the same
 * millisecond as it did. True run times and costs are not told; they are found out from the history.
 */
class ReplayedHistoryTest {
    private static final int JOBS = 60;
    private static final ConductorSettings SETTINGS = ConductorSettings.DEFAULT.withGuard(GuardMode.PLAN);

    @TempDir
    Path folder;

    /** The last column: the daemon is killed and recovers after so many turns, which a policy without memory does not notice. */
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
        Wishes wishes = new Wishes(seed, JOBS, SETTINGS.costs());
        List<Line> lines =
                new Conducted(wishes, policy, SETTINGS).history(folder, killEvery == 0 ? Integer.MAX_VALUE : killEvery);
        Chronicle chronicle =
                ChronicleReader.read(written(lines), new ClusterInput("wishes", wishes.topology), Optional.of(policy));

        Episode episode = Episode.of(chronicle, Long.MIN_VALUE, Long.MAX_VALUE);
        PolicySpec spec = PolicySpec.parse(policy);
        Rerun rerun = new Rerun(episode, List.of(Rerun.live(spec), spec), Optional.empty(), () -> false);
        Measured real = rerun.real(Rerun.live(spec));
        Measured simulated = rerun.under(spec, "live", () -> {}).orElseThrow();

        assertThat(episode.measured()).hasSize(wishes.jobs.size());
        assertThat(simulated.result().jobs()).isEqualTo(real.result().jobs());
        Fidelity fidelity = Fidelity.of(real, simulated);
        assertThat(fidelity.lines()).allSatisfy(line -> assertThat(line.error()).isZero());
        assertThat(fidelity.medianJobError()).isZero();
        assertThat(real.summary()).isEqualTo(simulated.summary());
    }

    /** As {@code fermata events -o json} writes it. */
    private Path written(List<Line> lines) throws IOException {
        ObjectMapper json = new ObjectMapper();
        ArrayNode events = json.createArrayNode();
        for (Line line : lines) {
            ObjectNode event = events.addObject();
            event.put("seq", line.seq());
            event.put("at", Instant.ofEpochMilli(line.atMillis()).toString());
            event.put("actor", line.actor());
            event.put("kind", line.kind());
            event.set("body", json.readTree(line.body()));
        }
        Path file = folder.resolve("history.json");
        json.writeValue(file.toFile(), events);
        return file;
    }
}
