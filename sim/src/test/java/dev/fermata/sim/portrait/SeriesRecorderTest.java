package dev.fermata.sim.portrait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.sim.workload.Rng;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeriesRecorderTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nothingIsLostWhenBucketsAreJoined(long seed) {
        Rng random = Rng.stream(seed, 0);
        SeriesRecorder recorder = new SeriesRecorder();
        long now = 5_000;
        long begin = now;
        double whole = 0;
        int busy = 0;
        recorder.state(now, busy, 0, 0, 0, 0);
        for (int i = 0; i < 2_000; i++) {
            long step = Math.round(random.exponential(i % 100 == 0 ? 1e7 : 2_000));
            whole += (double) busy * step;
            now += step;
            busy = (int) Math.round(random.exponential(20));
            recorder.state(now, busy, 0, 0, 0, 0);
        }

        Series series = recorder.series(64, false);

        assertThat(series.size()).isBetween(SeriesRecorder.MOST_BUCKETS / 2, SeriesRecorder.MOST_BUCKETS);
        assertThat(series.beginMillis()).isEqualTo(begin);
        assertThat(series.toMillis(series.size() - 1)).isEqualTo(now);
        double sum = 0;
        for (int i = 0; i < series.size(); i++) {
            sum += series.busyGpus().get(i) * (series.toMillis(i) - series.fromMillis(i));
        }
        assertThat(sum).isCloseTo(whole, within(1e-4 * (now - begin)));
    }
}
