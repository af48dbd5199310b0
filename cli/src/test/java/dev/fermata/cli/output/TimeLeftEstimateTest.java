package dev.fermata.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.cli.output.TimeLeftEstimate.ActiveRun;
import dev.fermata.cli.output.TimeLeftEstimate.RunSize;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeLeftEstimateTest {
    private final TimeLeftEstimate forecast = new TimeLeftEstimate();

    @Test
    void estimateIsUnknownWithoutData() {
        ActiveRun begun = new ActiveRun(new RunSize("fifo", 100), 0.001, 1);

        assertThat(forecast.secondsLeft(List.of(new RunSize("fifo", 100)), List.of(begun), 2))
                .isNaN();
        assertThat(forecast.seconds(new RunSize("fifo", 100))).isInfinite();
    }

    @Test
    void everyPolicyIsEstimatedFromItsOwnRuns() {
        forecast.record(new RunSize("fifo", 1000), 1);
        forecast.record(new RunSize("fermata", 1000), 10);

        // 2000 jobs of fifo take 2 s, 2000 of fermata 20 s: 22 s on one thread, 20 s on two, since no run is split.
        List<RunSize> waiting = List.of(new RunSize("fifo", 2000), new RunSize("fermata", 2000));
        assertThat(forecast.secondsLeft(waiting, List.of(), 1)).isCloseTo(22, within(1e-9));
        assertThat(forecast.secondsLeft(waiting, List.of(), 2)).isCloseTo(20, within(1e-9));
        assertThat(forecast.seconds(new RunSize("fermata", 500))).isCloseTo(5, within(1e-9));
    }

    @Test
    void policiesWithoutRunsAreEstimatedByTheAverage() {
        forecast.record(new RunSize("fifo", 3000), 1);
        forecast.record(new RunSize("srtf", 1000), 3);

        assertThat(forecast.secondsLeft(List.of(new RunSize("las", 2000)), List.of(), 4))
                .isCloseTo(2, within(1e-9));
    }

    @Test
    void anActiveRunInformsEstimatesOfItsPolicy() {
        ActiveRun half = new ActiveRun(new RunSize("srtf", 1000), 0.5, 4);

        assertThat(forecast.secondsLeft(List.of(), List.of(half), 2)).isCloseTo(4, within(1e-9));
        assertThat(forecast.secondsLeft(List.of(new RunSize("srtf", 1000)), List.of(half), 1))
                .isCloseTo(12, within(1e-9));
    }
}
