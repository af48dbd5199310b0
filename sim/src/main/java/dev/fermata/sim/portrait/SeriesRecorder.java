package dev.fermata.sim.portrait;

import java.util.ArrayList;
import java.util.List;

/** Sums up what lasted how long, in buckets of equal width; when they are full, neighbours are joined and the width doubles. */
final class SeriesRecorder {
    static final int MOST_BUCKETS = 600;
    private static final long FIRST_WIDTH = 1000;
    private static final int CHANNELS = 5;

    private final double[][] sums = new double[CHANNELS][MOST_BUCKETS];
    private final double[] lasting = new double[CHANNELS];
    private long begin = -1;
    private long at;
    private long width = FIRST_WIDTH;

    /** From now on the cluster is in this state. */
    void state(long now, int busy, int free, long stranded, long waitingJobs, long waitingGpus) {
        advance(now);
        lasting[0] = busy;
        lasting[1] = free;
        lasting[2] = stranded;
        lasting[3] = waitingJobs;
        lasting[4] = waitingGpus;
    }

    private void advance(long now) {
        if (begin < 0) {
            begin = now;
            at = now;
        }
        while (now - begin > width * MOST_BUCKETS) {
            join();
        }
        while (at < now) {
            int bucket = (int) ((at - begin) / width);
            long until = Math.min(now, begin + (bucket + 1) * width);
            for (int c = 0; c < CHANNELS; c++) {
                sums[c][bucket] += lasting[c] * (until - at);
            }
            at = until;
        }
    }

    private void join() {
        for (double[] channel : sums) {
            for (int i = 0; i < MOST_BUCKETS / 2; i++) {
                channel[i] = channel[2 * i] + channel[2 * i + 1];
            }
            java.util.Arrays.fill(channel, MOST_BUCKETS / 2, MOST_BUCKETS, 0);
        }
        width *= 2;
    }

    Series series(int gpus, boolean oneNode) {
        long from = Math.max(0, begin);
        return new Series(from, at, width, gpus, oneNode, channel(0), channel(1), channel(2), channel(3), channel(4));
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
