package dev.fermata.live.conductor;

import dev.fermata.core.estimate.History;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.StoredSpec;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Teaches an estimator what the store remembers: the jobs that ended last. Without it estimates are worse, nothing more. */
final class Lessons {
    private static final Logger LOG = LoggerFactory.getLogger(Lessons.class);
    /** As many as say something about today; more would only make a restart slower. */
    private static final int JOBS = 2000;

    private Lessons() {}

    static History from(Store.Reader reader, Experience experience) {
        History history = new History();
        try {
            List<JobRow> latest = reader.ended(JOBS);
            for (int i = latest.size() - 1; i >= 0; i--) {
                teach(history, latest.get(i), experience);
            }
        } catch (StoreException e) {
            LOG.warn("nothing can be learned from earlier jobs: {}", e.getMessage());
        }
        return history;
    }

    private static void teach(History history, JobRow row, Experience experience) {
        try {
            JobSpec spec = StoredSpec.read(row.spec());
            Knowledge known = experience.of(spec);
            Job job = Jobs.of(spec, row.id(), row.user(), known);
            history.noted(
                    new PastJob(
                            job,
                            row.state(),
                            row.submittedMillis(),
                            row.runMillis(),
                            Math.round(row.runMillis() * experience.speedFor(spec, known))),
                    row.finishedMillis());
        } catch (IllegalArgumentException e) {
            LOG.debug("job {} teaches nothing: {}", row.id(), e.getMessage());
        }
    }
}
