package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.util.List;
import java.util.Optional;

/**
 * The state from which a daemon continues.
 *
 * @param snapshot the last snapshot of the scheduler, empty for none
 * @param snapshotSeq the last history entry that the snapshot includes
 * @param entries the history after it, in order
 * @param liveJobs rows of jobs that have not ended
 * @param liveAttempts the latest attempt of each live job that has one
 * @param engineLocation where the jobs ran until now
 */
public record RecoveredState(
        Optional<String> snapshot,
        long snapshotSeq,
        List<HistoryEntry> entries,
        List<JobRow> liveJobs,
        List<AttemptRow> liveAttempts,
        long nextSeq,
        long nextJobId,
        EngineLocation engineLocation) {

    /** How many jobs have processes at the engine: on GPUs, or suspended. */
    public long jobsAtEngine() {
        return liveJobs.stream()
                .filter(job -> job.state().holdsGpus() || job.state() == JobState.SUSPENDED)
                .count();
    }
}
