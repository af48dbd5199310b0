package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;

/**
 * Takes the class from trials that outlive their time: the declared one, or what their queue allows. They go on as batch jobs, and
 * the class is no way to the front of the queue for long jobs.
 */
final class TrialTimes {
    private final Scheduler scheduler;
    private final LiveJobIndex liveJobs;
    private final QueueAdmission admission;
    private final Set<Long> running = new TreeSet<>();
    private long nextMillis = Plan.NEVER;

    TrialTimes(Scheduler scheduler, LiveJobIndex liveJobs, QueueAdmission admission) {
        this.scheduler = scheduler;
        this.liveJobs = liveJobs;
        this.admission = admission;
        scheduler.jobs().forEach(this::watch);
    }

    private void watch(JobView job) {
        if (job.state() == JobState.RUNNING && job.job().jobClass() == JobClass.TRIAL) {
            running.add(job.id());
            nextMillis = 0;
        }
    }

    void read(HistoryRecord record) {
        if (record.type() == HistoryRecord.Type.RUNNING) {
            JobView job = scheduler.job(record.jobId());
            if (job != null) {
                watch(job);
            }
        }
    }

    /** Ends the class of every trial whose time is over; the scheduler must run on the events then. */
    void check(CycleOutput output) {
        if (output.nowMillis < nextMillis) {
            return;
        }
        nextMillis = Plan.NEVER;
        Iterator<Long> ids = running.iterator();
        while (ids.hasNext()) {
            JobView view = scheduler.job(ids.next());
            LiveJob job = view == null ? null : liveJobs.find(view.id());
            if (view == null
                    || job == null
                    || view.state() != JobState.RUNNING
                    || view.job().jobClass() != JobClass.TRIAL) {
                ids.remove();
                continue;
            }
            long max = admission.maxTrialMillis(view.job());
            long left = max - view.attainedMillis(output.nowMillis);
            if (max == Long.MAX_VALUE) {
                continue;
            }
            if (left > 0) {
                nextMillis = Math.min(nextMillis, output.nowMillis + left);
                continue;
            }
            ids.remove();
            output.updatedSpecs.put(job.id, output.currentSpec(job).withJobClass(JobClass.BATCH));
            output.addEvent(new Event.JobUpdated(output.currentJob(view).toBuilder(job.id)
                    .jobClass(JobClass.BATCH)
                    .build()));
        }
    }

    /** When the next trial may be over. */
    long nextMillis() {
        return nextMillis;
    }
}
