package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a running attempt has enough evidence, and what is reported. */
class ProfileReporterTest {
    private static final long ORDERED = 1_000;
    private static final long STARTED = 1_100;

    private final GpuUsage gpuUsage = new GpuUsage();

    private static EngineEvent.JobReport report(String type, long at, long step) {
        return new EngineEvent.JobReport(at, type, step, 1_000, "", Double.NaN);
    }

    /** Loaded at 2 s, then a step every 100 ms from this one on. */
    private static AttemptPhases phasesAfterSteps(long first, int steps) {
        AttemptPhases phases =
                AttemptPhases.NONE.apply(report("hello", 1_200, 0), false).apply(report("loaded", 2_000, first), false);
        for (int i = 0; i < steps; i++) {
            phases = phases.apply(report("step", 2_500 + 100L * i, first + 1 + i), false);
        }
        return phases;
    }

    private @Nullable AttemptMeasurements measurementsAt(
            ProfileReporter profileReporter, AttemptPhases phases, long now) {
        return profileReporter.nextMeasurements(phases, gpuUsage, ORDERED, STARTED, now);
    }

    @Test
    void onlyStepsAfterTheFirstOfTheAttemptCount() {
        ProfileReporter profileReporter = new ProfileReporter(false);
        assertThat(measurementsAt(profileReporter, phasesAfterSteps(500, 10), 4_000))
                .as("resumed at step 500")
                .isNull();
        AttemptMeasurements shown =
                Objects.requireNonNull(measurementsAt(profileReporter, phasesAfterSteps(500, 11), 4_000));

        assertThat(shown.iterationMicros()).isEqualTo(100_000);
        assertThat(shown.loadMillis()).isEqualTo(1_400);
        assertThat(shown.startMillis()
                        + shown.buildMillis()
                        + Math.max(0, shown.restoreMillis())
                        + shown.warmupMillis())
                .isEqualTo(shown.loadMillis());
        assertThat(shown.preemptMillis()).isEqualTo(-1);
        assertThat(measurementsAt(profileReporter, phasesAfterSteps(500, 90), 9_000))
                .as("told once")
                .isNull();
    }

    @Test
    void realGpusNeedSamplesToo() {
        ProfileReporter profileReporter = new ProfileReporter(true);
        assertThat(measurementsAt(profileReporter, phasesAfterSteps(0, 50), 9_000))
                .isNull();
        for (int i = 0; i < 3; i++) {
            gpuUsage.recordMemory(7_000);
            gpuUsage.recordBusy(400);
        }
        AttemptMeasurements shown =
                Objects.requireNonNull(measurementsAt(profileReporter, phasesAfterSteps(0, 50), 9_000));
        assertThat(shown.peakMemoryMib()).isEqualTo(7_000);
        assertThat(shown.busyPermille()).isEqualTo(400);

        gpuUsage.recordMemory(7_300);
        assertThat(measurementsAt(profileReporter, phasesAfterSteps(0, 60), 10_000))
                .as("hardly more")
                .isNull();
        gpuUsage.recordMemory(9_000);
        assertThat(Objects.requireNonNull(measurementsAt(profileReporter, phasesAfterSteps(0, 70), 11_000))
                        .peakMemoryMib())
                .isEqualTo(9_000);
        assertThat(measurementsAt(profileReporter, phasesAfterSteps(0, 80), 12_000))
                .isNull();
    }

    @Test
    void silentJobIsMeasuredByItsGpuAfterAMinuteOnly() {
        gpuUsage.recordMemory(5_000);
        gpuUsage.recordBusy(900);
        ProfileReporter seen = new ProfileReporter(true);
        assertThat(measurementsAt(seen, AttemptPhases.NONE, STARTED + 59_999)).isNull();
        AttemptMeasurements shown = Objects.requireNonNull(measurementsAt(seen, AttemptPhases.NONE, STARTED + 60_000));
        assertThat(shown.peakMemoryMib()).isEqualTo(5_000);
        assertThat(shown.busyPermille()).isEqualTo(900);
        assertThat(shown.iterationMicros()).isEqualTo(-1);

        assertThat(new ProfileReporter(false)
                        .nextMeasurements(AttemptPhases.NONE, new GpuUsage(), ORDERED, STARTED, STARTED + 60_000))
                .isNull();
    }

    @Test
    void loadingJobReportsNoMeasurements() {
        AttemptPhases loading = AttemptPhases.NONE.apply(report("hello", 1_200, 0), false);
        assertThat(measurementsAt(new ProfileReporter(true), loading, STARTED + 600_000))
                .isNull();
    }
}
