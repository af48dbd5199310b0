package dev.fermata.live.learning;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Job;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.store.CoRunRow;
import dev.fermata.live.store.EstimateRow;
import java.util.Collection;

/** The part of a scheduling cycle's output that learning reads and adds to. It never orders anything from the engine. */
public interface LearningOutput {
    long nowMillis();

    /** The scheduler receives this event in its next step. */
    void addEvent(Event event);

    /** The job as the scheduler has it after its next step. */
    Job currentJob(JobView view);

    /** The spec of the job, with the updates of this cycle. */
    JobSpec currentSpec(LiveJob job);

    /** Adds a history entry that is not a history record of the scheduler. */
    void addEntry(String actor, long jobId, String type, Object body);

    /** The row of this attempt is written again. */
    void addChangedAttempt(LiveAttempt attempt);

    /** The rows of these profiles are written again, because a person changed them. */
    void addUpdatedKeys(Collection<ProfileKey> keys);

    void addCoRunRows(Collection<CoRunRow> rows);

    void addEstimateRow(EstimateRow row);

    /** An attempt of this job ran out of GPU memory and had this much. */
    void addInsufficientMemory(long job, int mib);
}
