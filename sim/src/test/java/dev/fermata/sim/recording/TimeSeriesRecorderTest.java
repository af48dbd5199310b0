package dev.fermata.sim.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.sim.workload.Rng;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSeriesRecorderTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nothingIsLostWhenBucketsAreMerged(long seed) {
        Rng random = Rng.stream(seed, 0);
        TimeSeriesRecorder recorder = new TimeSeriesRecorder();
        long now = 5_000;
        long begin = now;
        double whole = 0;
        int busy = 0;
        recorder.update(now, busy, 0, 0, 0, 0);
        for (int i = 0; i < 2_000; i++) {
            long step = Math.round(random.exponential(i % 100 == 0 ? 1e7 : 2_000));
            whole += (double) busy * step;
            now += step;
            busy = (int) Math.round(random.exponential(20));
            recorder.update(now, busy, 0, 0, 0, 0);
        }

        ClusterTimeSeries series = recorder.series(64, false);

        assertThat(series.size()).isBetween(TimeSeriesRecorder.MAX_BUCKETS / 2, TimeSeriesRecorder.MAX_BUCKETS);
        assertThat(series.beginMillis()).isEqualTo(begin);
        assertThat(series.toMillis(series.size() - 1)).isEqualTo(now);
        double sum = 0;
        for (int i = 0; i < series.size(); i++) {
            sum += series.busyGpus().get(i) * (series.toMillis(i) - series.fromMillis(i));
        }
        assertThat(sum).isCloseTo(whole, within(1e-4 * (now - begin)));
    }
}
