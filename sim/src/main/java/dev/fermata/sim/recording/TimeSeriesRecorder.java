package dev.fermata.sim.recording;

import java.util.ArrayList;
import java.util.List;

/** Time-weighted sums in buckets of equal width; when all are full, adjacent ones are merged and the width doubles. */
final class TimeSeriesRecorder {
    static final int MAX_BUCKETS = 600;
    private static final long FIRST_WIDTH = 1000;
    private static final int CHANNELS = 5;

    private final double[][] sums = new double[CHANNELS][MAX_BUCKETS];
    private final double[] currentValues = new double[CHANNELS];
    private long begin = -1;
    private long at;
    private long width = FIRST_WIDTH;

    /** From now on the cluster is in this state. */
    void update(long now, int busy, int free, long stranded, long waitingJobs, long waitingGpus) {
        advance(now);
        currentValues[0] = busy;
        currentValues[1] = free;
        currentValues[2] = stranded;
        currentValues[3] = waitingJobs;
        currentValues[4] = waitingGpus;
    }

    private void advance(long now) {
        if (begin < 0) {
            begin = now;
            at = now;
        }
        while (now - begin > width * MAX_BUCKETS) {
            mergeBuckets();
        }
        while (at < now) {
            int bucket = (int) ((at - begin) / width);
            long until = Math.min(now, begin + (bucket + 1) * width);
            for (int c = 0; c < CHANNELS; c++) {
                sums[c][bucket] += currentValues[c] * (until - at);
            }
            at = until;
        }
    }

    private void mergeBuckets() {
        for (double[] channel : sums) {
            for (int i = 0; i < MAX_BUCKETS / 2; i++) {
                channel[i] = channel[2 * i] + channel[2 * i + 1];
            }
            java.util.Arrays.fill(channel, MAX_BUCKETS / 2, MAX_BUCKETS, 0);
        }
        width *= 2;
    }

    ClusterTimeSeries series(int gpus, boolean singleNode) {
        long from = Math.max(0, begin);
        return new ClusterTimeSeries(
                from, at, width, gpus, singleNode, channel(0), channel(1), channel(2), channel(3), channel(4));
    }

    private List<Double> channel(int c) {
        List<Double> means = new ArrayList<>();
        for (long from = Math.max(0, begin); from < at; from += width) {
            double mean = sums[c][means.size()] / (Math.min(at, from + width) - from);
            means.add(Math.round(mean * 1e4) / 1e4);
        }
        return means;
    }
}
