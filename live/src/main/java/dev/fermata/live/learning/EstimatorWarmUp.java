package dev.fermata.live.learning;

import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fills an estimator with the jobs that ended last. Without it estimates are less accurate. */
public final class EstimatorWarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(EstimatorWarmUp.class);
    /** More jobs would slow the restart and add little. */
    private static final int JOBS = 2000;

    private EstimatorWarmUp() {}

    public static HistoryEstimator readHistory(Store.StoreReader reader, ProfileService profiles) {
        HistoryEstimator history = new HistoryEstimator();
        try {
            List<JobRow> latest = reader.endedJobs(JOBS);
            for (int i = latest.size() - 1; i >= 0; i--) {
                if (!latest.get(i).spec().isEmpty()) {
                    add(history, latest.get(i), profiles);
                }
            }
        } catch (StoreException e) {
            LOG.warn("estimator warm-up: ended jobs cannot be read, estimates start empty: {}", e.getMessage());
        }
        return history;
    }

    private static void add(HistoryEstimator history, JobRow row, ProfileService profiles) {
        try {
            JobSpec spec = SpecJson.read(row.spec());
            ProfileEstimate known = profiles.estimateFor(spec);
            Job job = JobFactory.create(
                    spec,
                    row.id(),
                    row.user(),
                    known,
                    spec.dependencies(),
                    JobArray.NONE,
                    profiles.fingerprints.featuresOf(spec));
            history.observe(
                    new PastJob(
                            job,
                            row.state(),
                            row.submittedMillis(),
                            row.runMillis(),
                            Math.round(row.runMillis() * profiles.speedFor(spec, known))),
                    row.finishedMillis());
        } catch (IllegalArgumentException e) {
            LOG.debug("estimator warm-up: job {} skipped: {}", row.id(), e.getMessage());
        }
    }
}
