package dev.fermata.insight.prediction;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/** A job that arrives in a scenario, and its work there. */
record ScenarioArrival(Job job, WorkEstimate estimate, long atMillis, long totalWorkMillis) {
    /** No live job has such an id. */
    private static final long FIRST_ID = 1L << 50;

    /** Fewer arrivals say too little about their rate. */
    private static final int MIN_RECENT_ARRIVALS = 8;

    private static final double EXP_MINUS_ONE = StrictMath.exp(-1);

    /**
     * Draws future arrivals. The recent arrivals come again within the same length of time, each a random number of
     * times (once on average), at random moments. Nothing better is known, and to expect none would be wrong on every
     * busy day.
     */
    static List<ScenarioArrival> resample(
            List<ClusterSnapshot.RecentArrival> recentArrivals, long nowMillis, Rng random) {
        if (recentArrivals.size() < MIN_RECENT_ARRIVALS) {
            return List.of();
        }
        long span = recentArrivals.stream()
                .mapToLong(ClusterSnapshot.RecentArrival::ageMillis)
                .max()
                .orElse(0);
        List<ScenarioArrival> arrivals = new ArrayList<>();
        for (ClusterSnapshot.RecentArrival arrival : recentArrivals) {
            for (double probability = random.uniform(); probability > EXP_MINUS_ONE; probability *= random.uniform()) {
                Job job = arrival.job().toBuilder(FIRST_ID + arrivals.size())
                        .dependencies(List.of())
                        .array(JobArray.NONE)
                        .profileFirst(ProfileFirst.NONE)
                        .build();
                long at = nowMillis + 1 + Math.round(random.uniform() * span);
                arrivals.add(new ScenarioArrival(
                        job,
                        arrival.estimate(),
                        at,
                        RuntimeQuantileSampler.totalWorkMillis(arrival.estimate(), random.uniform())));
            }
        }
        return arrivals;
    }
}
