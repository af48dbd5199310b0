package dev.fermata.core.measure;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects from a history what the measures need. It never reads the cluster state or the engine. */
public final class MetricsCollector {
    /** Counters of a job that has not ended. */
    private static final class JobTally {
        final Job job;
        final long submitMillis;
        long pendingSince;
        long firstStart = -1;
        long startedAt;
        long wait;
        long run;
        long overhead;
        int preemptions;
        int attempts;

        @Nullable
        Allocation held;

        @Nullable
        Tier tier;

        int gpuType = -1;
        boolean progressing;
        /** Work that was kept when its last attempt ended, and the GPUs of that attempt. */
        long savedWork;

        int lastGpus;

        JobTally(Job job, long now) {
            this.job = job;
            this.submitMillis = now;
            this.pendingSince = now;
        }
    }

    private final Topology topology;
    private final Occupancy occupancy;
    private final LongMap<JobTally> live = new LongMap<>();
    private final List<JobResult> results = new ArrayList<>();
    private long firstSubmit = -1;
    private long lastEnd;
    private long held;
    private long useful;
    private long overhead;
    private long lost;
    private long communication;
    private long preemptions;
    private int preemptedJobs;
    private int oomFailures;

    public MetricsCollector(Topology topology) {
        this.topology = topology;
        this.occupancy = new Occupancy(topology);
    }

    public void accept(long nowMillis, HistoryRecord historyRecord) {
        switch (historyRecord.type()) {
            case SUBMITTED -> jobSubmitted(nowMillis, ((HistoryRecord.Submitted) historyRecord).job());
            case JOB_REJECTED -> {
                HistoryRecord.JobRejected r = (HistoryRecord.JobRejected) historyRecord;
                jobSubmitted(nowMillis, r.job());
                jobEnded(nowMillis, r.job().id(), JobState.UNSATISFIABLE);
            }
            case STARTED -> attemptStarted(nowMillis, (HistoryRecord.Started) historyRecord);
            case RUNNING -> {
                JobTally tally = live.get(historyRecord.jobId());
                if (tally != null && tally.held != null) {
                    tally.progressing = true;
                    occupancy.progress(nowMillis, tally.held, 1);
                }
            }
            case PREEMPTING -> {
                JobTally tally = live.get(historyRecord.jobId());
                if (tally != null) {
                    preemptions++;
                    preemptedJobs += tally.preemptions++ == 0 ? 1 : 0;
                    progressStopped(nowMillis, tally);
                }
            }
            case CANCELLING, PROFILED -> {
                JobTally tally = live.get(historyRecord.jobId());
                if (tally != null) {
                    progressStopped(nowMillis, tally);
                }
            }
            case ATTEMPT_ENDED -> attemptEnded(nowMillis, (HistoryRecord.AttemptEnded) historyRecord);
            case CAPACITY_CHANGED ->
                occupancy.setGpusUp(nowMillis, ((HistoryRecord.CapacityChanged) historyRecord).gpusUp());
            case NODE_ADDED -> occupancy.setGpusUp(nowMillis, ((HistoryRecord.NodeAdded) historyRecord).gpusUp());
            case NODE_REMOVED -> occupancy.setGpusUp(nowMillis, ((HistoryRecord.NodeRemoved) historyRecord).gpusUp());
            case NODE_CHANGED -> occupancy.setGpusUp(nowMillis, ((HistoryRecord.NodeChanged) historyRecord).gpusUp());
            case FOREIGN_LOAD_CHANGED ->
                occupancy.setGpusUp(nowMillis, ((HistoryRecord.ForeignLoadChanged) historyRecord).gpusUp());
            case CLUSTER_CHANGED ->
                occupancy.setGpusUp(nowMillis, ((HistoryRecord.ClusterChanged) historyRecord).gpusUp());
            case JOB_ENDED -> {
                HistoryRecord.JobEnded r = (HistoryRecord.JobEnded) historyRecord;
                JobTally tally = live.get(r.jobId());
                if (tally != null) {
                    tally.wait += nowMillis - tally.pendingSince;
                    jobEnded(nowMillis, r.jobId(), r.state());
                }
            }
            case SUSPEND_FAILED -> {
                JobTally tally = live.get(historyRecord.jobId());
                if (tally != null && tally.held != null) {
                    preemptions--;
                    preemptedJobs -= --tally.preemptions == 0 ? 1 : 0;
                    tally.progressing = true;
                    occupancy.progress(nowMillis, tally.held, 1);
                }
            }
            case SUSPENSION_ENDED -> suspensionEnded((HistoryRecord.SuspensionEnded) historyRecord);
            case SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTION_DECLINED,
                    DRAIN_CHANGED,
                    REACHABILITY_CHANGED,
                    START_FAILED,
                    ACTION_REJECTED -> {} // no figure depends on them
        }
    }

    private void jobSubmitted(long now, Job job) {
        if (firstSubmit < 0) {
            firstSubmit = now;
            occupancy.begin(now);
        }
        live.put(job.id(), new JobTally(job, now));
    }

    private void attemptStarted(long now, HistoryRecord.Started historyRecord) {
        JobTally tally = live.get(historyRecord.jobId());
        if (tally == null) {
            return;
        }
        tally.wait += now - tally.pendingSince;
        tally.firstStart = tally.firstStart < 0 ? now : tally.firstStart;
        tally.startedAt = now;
        tally.attempts++;
        tally.held = historyRecord.allocation();
        tally.tier = historyRecord.allocation().tier();
        tally.gpuType = topology.typeOf(historyRecord.allocation().gpu(0));
        occupancy.addHeld(now, historyRecord.allocation(), 1);
    }

    private void attemptEnded(long now, HistoryRecord.AttemptEnded historyRecord) {
        JobTally tally = live.get(historyRecord.jobId());
        if (tally == null || tally.held == null) {
            return;
        }
        progressStopped(now, tally);
        occupancy.addHeld(now, tally.held, -1);
        int gpus = tally.held.size();
        Usage usage = historyRecord.usage();
        held += (now - tally.startedAt) * gpus;
        useful += usage.usefulMillis() * gpus;
        lost += usage.lostMillis() * gpus;
        overhead += (usage.loadMillis() + usage.preemptMillis()) * gpus;
        communication += usage.communicationMillis() * gpus;
        oomFailures += historyRecord.outcome() == Outcome.OOM ? 1 : 0;
        tally.run += usage.runMillis();
        tally.overhead += usage.loadMillis() + usage.preemptMillis();
        tally.held = null;
        tally.savedWork = usage.savedWorkMillis();
        tally.lastGpus = gpus;
        tally.pendingSince = now;
        if (historyRecord.next().isFinal()) {
            jobEnded(now, historyRecord.jobId(), historyRecord.next());
        }
    }

    /** What its processes had done counted as useful, and must be done again. */
    private void suspensionEnded(HistoryRecord.SuspensionEnded historyRecord) {
        JobTally tally = live.get(historyRecord.jobId());
        if (tally != null) {
            long again = Math.max(0, tally.savedWork - historyRecord.savedWorkMillis()) * tally.lastGpus;
            useful -= again;
            lost += again;
        }
    }

    private void progressStopped(long now, JobTally tally) {
        if (tally.progressing && tally.held != null) {
            occupancy.progress(now, tally.held, -1);
        }
        tally.progressing = false;
    }

    private void jobEnded(long now, long id, JobState state) {
        JobTally tally = live.remove(id);
        if (tally != null) {
            lastEnd = Math.max(lastEnd, now);
            results.add(new JobResult(
                    new JobResult.JobIdentity(
                            id,
                            tally.job.name(),
                            tally.job.jobClass(),
                            tally.job.demand().maxGpus()),
                    state,
                    new JobResult.Times(tally.submitMillis, tally.firstStart, now),
                    new JobResult.Durations(tally.wait, tally.run, tally.overhead),
                    tally.preemptions,
                    tally.attempts,
                    tally.gpuType,
                    tally.tier));
        }
    }

    /** Results of the jobs that ended, in the order of their ends. */
    public List<JobResult> results() {
        return results;
    }

    public int unfinished() {
        return live.size();
    }

    /** GPUs with a job that makes progress, as of the last record. */
    public int busyGpus() {
        return occupancy.busyGpus();
    }

    /** GPUs that are up and hold no job, as of the last record. */
    public int freeGpus() {
        return occupancy.freeGpus();
    }

    /** Free GPUs on nodes that are partly in use, as of the last record. */
    public long strandedGpus() {
        return occupancy.strandedGpus();
    }

    public MetricsSummary summary() {
        long span = firstSubmit < 0 ? 0 : lastEnd - firstSubmit;
        long running = useful + lost;
        int completed = (int)
                results.stream().filter(r -> r.state() == JobState.COMPLETED).count();
        return new MetricsSummary(
                JobStatistics.of(results),
                JobStatistics.of(resultsOf(JobClass.TRIAL)),
                JobStatistics.of(resultsOf(JobClass.BATCH)),
                results.size() - completed,
                new MetricsSummary.ClusterUse(
                        span / 1000.0,
                        span == 0 ? 0 : occupancy.busyGpuMillis() / ((double) span * topology.gpuCount()),
                        occupancy.fragmentation(),
                        running == 0 ? 0 : (double) communication / running,
                        new GpuTime(held, useful, overhead, lost, communication)),
                new MetricsSummary.Interruptions(preemptions, preemptedJobs, oomFailures));
    }

    private List<JobResult> resultsOf(JobClass jobClass) {
        return results.stream().filter(r -> r.jobClass() == jobClass).toList();
    }
}
