package dev.fermata.insight.prediction;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.estimate.StepCountEstimate;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.prediction.WorkEstimate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live estimator at the time of the prediction, continued. Work done since then is subtracted, and an older job is
 * estimated as the live estimator would at that age. It never knows the simulated future.
 */
final class SnapshotEstimator implements Estimator {
    /** The least remaining work, as a share of the work done. */
    private static final long MIN_REMAINING_SHARE = 16;

    private static final class JobEstimate {
        final WorkEstimate atSnapshot;

        @Nullable
        RuntimeEstimate runtimeEstimate;

        JobEstimate(WorkEstimate estimate) {
            this.atSnapshot = estimate;
            this.runtimeEstimate = estimate.runtimeEstimate();
        }
    }

    private final LongMap<JobEstimate> jobEstimates = new LongMap<>();

    SnapshotEstimator(Map<Long, WorkEstimate> estimates, List<ScenarioArrival> arrivals) {
        estimates.forEach((id, estimate) -> jobEstimates.put(id, new JobEstimate(estimate)));
        arrivals.forEach(arrival -> jobEstimates.put(arrival.job().id(), new JobEstimate(arrival.estimate())));
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        JobEstimate known = jobEstimates.get(job.id());
        if (known == null) {
            return 1;
        }
        WorkEstimate estimate = known.atSnapshot;
        long done = job.doneWorkMillis(nowMillis);
        long left = estimate.remainingMillis() - (done - estimate.doneMillis());
        RuntimeEstimate runtimeEstimate = estimate.runtimeEstimate();
        if (runtimeEstimate == null || estimate.isPointEstimate()) {
            return left > 0 ? left : Math.max(1, done / 2); // outrun: half of the work done again
        }
        if (done >= runtimeEstimate.validUntilWorkMillis()) {
            left = runtimeEstimate.totalQuantileMillis(done, 0.5) - done;
        }
        return Math.max(1, Math.max(done / MIN_REMAINING_SHARE, left));
    }

    @Override
    public @Nullable RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        JobEstimate known = jobEstimates.get(job.id());
        if (known == null || known.runtimeEstimate == null) {
            return null;
        }
        long done = job.doneWorkMillis(nowMillis);
        if (known.runtimeEstimate.isCertain()) {
            return new StepCountEstimate(done, remainingMillis(job, nowMillis));
        }
        if (done >= known.runtimeEstimate.validUntilWorkMillis()) {
            known.runtimeEstimate = known.runtimeEstimate.afterWork(done);
        }
        return known.runtimeEstimate;
    }
}
