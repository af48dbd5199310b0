package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.profile.AttemptMeasurements;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The measurements of a running job with the helper. */
class ReportedMeasurementsTest {
    @Test
    void runningJobIsReportedOnceAndAgainAfterARestart(@TempDir Path data) {
        String trainer = """
                #!/usr/bin/env python3
                import fermata, time
                fermata.gpu(memory_mib=4321, busy=0.25)
                for step in fermata.steps(100000):
                    time.sleep(0.02)
                """;
        try (LocalEngineFixture fixture = new LocalEngineFixture(data)) {
            var launch = fixture.startAndAwaitRunning(1, new JobSpecBuilder(trainer));
            LocalEngineFixture.awaitUntil(() -> !reportedMeasurements(fixture).isEmpty());
            AttemptMeasurements first = reportedMeasurements(fixture).get(0);
            assertThat(first.peakMemoryMib()).isEqualTo(4321);
            assertThat(first.busyPermille()).isEqualTo(250);
            assertThat(first.step()).isGreaterThanOrEqualTo(10);
            assertThat(first.iterationMicros()).isGreaterThanOrEqualTo(20_000);

            fixture.reopen(launch);
            LocalEngineFixture.awaitUntil(() -> !reportedMeasurements(fixture).isEmpty());
            assertThat(reportedMeasurements(fixture)).hasSize(1);
            fixture.preempt(1, 1, 20_000);
            assertThat(fixture.measurements(launch).peakMemoryMib()).isEqualTo(4321);
        }
    }

    private static List<AttemptMeasurements> reportedMeasurements(LocalEngineFixture fixture) {
        return fixture.events.stream()
                .filter(EngineEvent.MeasurementsReported.class::isInstance)
                .map(event -> ((EngineEvent.MeasurementsReported) event).measurements())
                .toList();
    }
}
