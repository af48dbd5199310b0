package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.Rank;
import dev.fermata.core.policy.tune.RuntimeRatios;
import java.util.Arrays;

/**
 * Highest Gittins index first, over attained GPU-time. The index at attained service {@code a} is the best chance per
 * GPU-second to end soon: {@code max over d of P(S <= a+d | S > a) / E[min(S-a, d) | S > a]}. The distribution of S is
 * learned from the jobs that ended so far, nothing else; until enough have, least attained service goes first.
 *
 * <p>Gittins 1979; as the 2D-Gittins index in Tiresias (NSDI 2019). Refreshing the table costs O(buckets × samples) and
 * happens when the number of ended jobs has grown by a quarter.
 */
public final class GittinsOrder implements JobOrder {
    private static final int MIN_SAMPLES = 30;
    private static final int MAX_SAMPLES = 2048;
    private static final int BUCKETS = 32;
    /** Bucket k starts at this many GPU-milliseconds: one GPU-second, doubling. */
    private static final long[] BUCKET_START = new long[BUCKETS];

    static {
        for (int k = 1; k < BUCKETS; k++) {
            BUCKET_START[k] = 1000L << (k - 1);
        }
    }

    private final double[] samples = new double[MAX_SAMPLES];
    private int sampleCount;
    private int refreshedAt;
    /** Expected GPU-milliseconds per completion (1 / index) by bucket. */
    private final long[] workPerCompletion = BUCKET_START.clone();

    @Override
    public Rank waiting(JobView job, View view) {
        int bucket = bucketOf(job.attainedGpuMillis(view.nowMillis()));
        return Rank.fixed(JobOrder.priorityLevel(job), workPerCompletion[bucket]);
    }

    @Override
    public Rank running(JobView job, View view) {
        long attained = job.attainedGpuMillis(view.nowMillis());
        int bucket = bucketOf(attained);
        long recomputeAt = bucket + 1 < BUCKETS
                ? view.nowMillis() + Math.max(1, (BUCKET_START[bucket + 1] - attained + job.gpus() - 1) / job.gpus())
                : Plan.NEVER;
        return new Rank(JobOrder.priorityLevel(job), workPerCompletion[bucket], 0, recomputeAt);
    }

    @Override
    public boolean observeEnd(JobView job, View view) {
        if (job.state() != JobState.COMPLETED) {
            return false;
        }
        samples[sampleCount++ % MAX_SAMPLES] = Math.max(1, job.attainedGpuMillis(view.nowMillis()));
        if (sampleCount < MIN_SAMPLES || sampleCount < refreshedAt + refreshedAt / 4) {
            return false;
        }
        refreshedAt = sampleCount;
        refresh(Arrays.copyOf(samples, Math.min(sampleCount, MAX_SAMPLES)));
        return true;
    }

    private void refresh(double[] service) {
        Arrays.sort(service);
        for (int k = 0; k < BUCKETS; k++) {
            workPerCompletion[k] =
                    Math.max(1, Math.round(RuntimeRatios.minWorkPerCompletion(service, (double) BUCKET_START[k])));
        }
    }

    private static int bucketOf(long attained) {
        int k = Arrays.binarySearch(BUCKET_START, attained);
        return k >= 0 ? k : -k - 2;
    }
}
