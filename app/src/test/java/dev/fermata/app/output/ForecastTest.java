package dev.fermata.app.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.app.output.Forecast.Underway;
import dev.fermata.app.output.Forecast.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private final Forecast forecast = new Forecast();

    @Test
    void saysNothingBeforeAnythingIsKnown() {
        Underway begun = new Underway(new Work("fifo", 100), 0.001, 1);

        assertThat(forecast.left(List.of(new Work("fifo", 100)), List.of(begun), 2))
                .isNaN();
        assertThat(forecast.seconds(new Work("fifo", 100))).isInfinite();
    }

    @Test
    void everyPolicyIsWeighedByWhatItTook() {
        forecast.took(new Work("fifo", 1000), 1);
        forecast.took(new Work("fermata", 1000), 10);

        // 2000 jobs of fifo take 2 s, 2000 of fermata 20 s: 22 s on one thread, 20 s on two, since no run is split.
        List<Work> waiting = List.of(new Work("fifo", 2000), new Work("fermata", 2000));
        assertThat(forecast.left(waiting, List.of(), 1)).isCloseTo(22, within(1e-9));
        assertThat(forecast.left(waiting, List.of(), 2)).isCloseTo(20, within(1e-9));
        assertThat(forecast.seconds(new Work("fermata", 500))).isCloseTo(5, within(1e-9));
    }

    @Test
    void whatHasNotRunYetIsTakenForAverage() {
        forecast.took(new Work("fifo", 3000), 1);
        forecast.took(new Work("srtf", 1000), 3);

        assertThat(forecast.left(List.of(new Work("las", 2000)), List.of(), 4)).isCloseTo(2, within(1e-9));
    }

    @Test
    void aRunUnderWayTellsOfItselfAndOfOthersLikeIt() {
        Underway half = new Underway(new Work("srtf", 1000), 0.5, 4);

        assertThat(forecast.left(List.of(), List.of(half), 2)).isCloseTo(4, within(1e-9));
        assertThat(forecast.left(List.of(new Work("srtf", 1000)), List.of(half), 1))
                .isCloseTo(12, within(1e-9));
    }
}
