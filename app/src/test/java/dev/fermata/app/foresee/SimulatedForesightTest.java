package dev.fermata.app.foresee;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.app.bench.PlayedDaemon;
import dev.fermata.app.bench.StartAccuracy;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.StartCalibration;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.cluster.ClusterSpec;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's conductor on a simulated cluster: what it expects, and what then happens. */
class SimulatedForesightTest {
    private static final Topology TWO = ClusterSpec.parse("1x2:V100");

    @TempDir
    private Path folder;

    private static JobSpec job(String name, int gpus, String time) {
        return JobFile.read(JsonNodeFactory.instance
                        .objectNode()
                        .put("name", name)
                        .put("gpus", gpus)
                        .put("time", time)
                        .put("run", "true"))
                .get(0);
    }

    @Test
    void aQueueStartsOneAfterTheOther() {
        try (PlayedDaemon daemon = new PlayedDaemon(folder, TWO, "fifo", Costs.NONE)) {
            daemon.submit(job("a", 2, "10m"), 600_000);
            daemon.until(60_000);
            long second = daemon.submit(job("b", 2, "20m"), 1_200_000);
            long third = daemon.submit(job("c", 1, "5m"), 300_000);
            Map<Long, ExpectedStart> starts = daemon.foresee(third);
            ExpectedStart early = Objects.requireNonNull(starts.get(second));
            ExpectedStart late = Objects.requireNonNull(starts.get(third));
            assertThat(early.asOfMillis()).isEqualTo(60_000);
            assertThat(early.p50Millis()).isBetween(400_000L, 800_000L);
            assertThat(early.p90Millis()).isGreaterThan(early.p50Millis());
            assertThat(late.p50Millis()).isGreaterThan(early.p50Millis());
            assertThat(late.p90Millis()).isGreaterThan(late.p50Millis());
            assertThat(daemon.foresee(third)).as("the same again").isEqualTo(starts);
        }
    }

    /** Not a measurement, which is {@code fermata bench starts}; only that they are not far off. */
    @Test
    void expectationsAreAboutAsOftenRightAsTheySay() {
        StartCalibration.Verdict verdict =
                StartAccuracy.measure(ClusterSpec.parse("1x4:V100"), "fermata", 80, 1.0, true, 1, () -> false);
        assertThat(verdict.judged50()).isGreaterThan(10);
        assertThat((double) verdict.by50() / verdict.judged50()).isBetween(0.2, 0.8);
        assertThat((double) verdict.by90() / verdict.judged90()).isGreaterThan(0.6);
    }
}
