package dev.fermata.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.bench.virtual.VirtualTimeDaemon;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.live.prediction.PredictionEvaluator;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.cluster.ClusterSpec;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's scheduler loop on a simulated cluster: predicted starts against actual ones. */
class SimulatedStartPredictorTest {
    private static final Topology TWO = ClusterSpec.parse("1x2:V100");

    @TempDir
    private Path folder;

    private static JobSpec job(String name, int gpus, String time) {
        return JobFileParser.parse(JsonNodeFactory.instance
                        .objectNode()
                        .put("name", name)
                        .put("gpus", gpus)
                        .put("time", time)
                        .put("run", "true"))
                .get(0);
    }

    @Test
    void aQueueStartsOneAfterTheOther() {
        try (VirtualTimeDaemon daemon = new VirtualTimeDaemon(folder, TWO, "fifo", Costs.NONE)) {
            daemon.submit(job("a", 2, "10m"), 600_000);
            daemon.advanceTo(60_000);
            long second = daemon.submit(job("b", 2, "20m"), 1_200_000);
            long third = daemon.submit(job("c", 1, "5m"), 300_000);
            Map<Long, StartPrediction> starts = daemon.predictStarts(third);
            StartPrediction early = Objects.requireNonNull(starts.get(second));
            StartPrediction late = Objects.requireNonNull(starts.get(third));
            assertThat(early.asOfMillis()).isEqualTo(60_000);
            assertThat(early.p50Millis()).isBetween(400_000L, 800_000L);
            assertThat(early.p90Millis()).isGreaterThan(early.p50Millis());
            assertThat(late.p50Millis()).isGreaterThan(early.p50Millis());
            assertThat(late.p90Millis()).isGreaterThan(late.p50Millis());
            assertThat(daemon.predictStarts(third)).as("the same again").isEqualTo(starts);
        }
    }

    /** Not a measurement, which is {@code fermata bench starts}; only that they are not far off, over enough of them. */
    @Test
    void predictedQuantilesAreCalibrated() {
        int dueP50 = 0;
        int metP50 = 0;
        int dueP90 = 0;
        int metP90 = 0;
        for (int seed = 1; seed <= 4; seed++) {
            PredictionEvaluator.PredictionEvaluation outcome = StartPredictionAccuracy.measure(
                            StartPredictionAccuracy.Workload.BUSY_DAY,
                            ClusterSpec.parse("1x4:V100"),
                            "fermata",
                            80,
                            1.0,
                            true,
                            seed,
                            () -> false)
                    .starts();
            dueP50 += outcome.dueP50();
            metP50 += outcome.metP50();
            dueP90 += outcome.dueP90();
            metP90 += outcome.metP90();
        }
        assertThat(dueP50).isGreaterThan(100);
        assertThat((double) metP50 / dueP50).isBetween(0.2, 0.8);
        assertThat((double) metP90 / dueP90).isGreaterThan(0.6);
    }
}
