package dev.fermata.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.insight.replay.StepReporting.AttemptReporting;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepReportingTest {
    @Test
    void anAttemptReportsAsRecorded() {
        AttemptReporting first = new AttemptReporting(640, 142, 1.01);
        AttemptReporting second = new AttemptReporting(1_130, 200, 0.99);
        StepReporting stepReporting = new StepReporting(100, List.of(first, second));
        assertThat(stepReporting.attemptReporting(1)).isEqualTo(first);
        assertThat(stepReporting.attemptReporting(2)).isEqualTo(second);
    }

    /** A first step, as many more as fill half a second, and a quarter until the engine reads it. */
    @Test
    void anUnrecordedAttemptReportsAsByDefault() {
        assertThat(new StepReporting(100, List.of()).attemptReporting(1))
                .isEqualTo(new AttemptReporting(100 + 500 + 250, 200, 1));
        assertThat(new StepReporting(300, List.of(new AttemptReporting(1, 1, 1))).attemptReporting(2))
                .isEqualTo(new AttemptReporting(300 + 600 + 250, 600, 1));
        assertThat(new StepReporting(4_000, List.of()).attemptReporting(1))
                .isEqualTo(new AttemptReporting(4_000 + 4_000 + 250, 8_000, 1));
    }
}
