package dev.fermata.core.scheduler;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Plan;

/** Records preemptions that the policy weighed and declined, where they are new or differ materially. */
final class DeclinedPreemptions {
    /** At most one record per job and this time. */
    private static final long REPEAT_MILLIS = 60_000;

    private final ClusterState cluster;

    DeclinedPreemptions(ClusterState cluster) {
        this.cluster = cluster;
    }

    void decline(Plan.Declined declined) {
        TrackedJob job = cluster.find(declined.jobId());
        if (job == null || job.state != JobState.PENDING || job.reservation != null) {
            return; // it was served after all
        }
        HistoryRecord.PreemptionDeclined now = new HistoryRecord.PreemptionDeclined(
                job.job.id(), declined.victims(), declined.gainMillis(), declined.costMillis());
        HistoryRecord.PreemptionDeclined before = job.lastDeclined;
        if (before == null
                || (cluster.nowMillis - job.lastDeclinedMillis >= REPEAT_MILLIS && now.differsMaterially(before))) {
            record(job, now);
        }
    }

    void record(TrackedJob job, HistoryRecord.PreemptionDeclined historyRecord) {
        job.lastDeclined = historyRecord;
        job.lastDeclinedMillis = cluster.nowMillis;
        cluster.records.add(historyRecord);
    }
}
