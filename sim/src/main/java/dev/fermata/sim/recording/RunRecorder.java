package dev.fermata.sim.recording;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.MetricsCollector;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Builds the {@link RunRecording} of a run, record by record. The metrics collector receives each record first. */
public final class RunRecorder
        implements RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresCluster,
                RecordReader.IgnoresDeclines {
    private final Topology topology;
    private final MetricsCollector metrics;
    private final LongMap<RecordedJob> jobs = new LongMap<>();
    private final TimeSeriesRecorder series = new TimeSeriesRecorder();
    private final PreemptionRecorder preemptions = new PreemptionRecorder();
    private final @Nullable GanttRecorder gantt;
    private long waitingJobs;
    private long waitingGpus;
    private boolean started;
    private long at;

    public RunRecorder(Topology topology, MetricsCollector metrics, RunRecording.RecordingDetail detail) {
        this.topology = topology;
        this.metrics = metrics;
        this.gantt = detail.ganttRows() > 0 ? new GanttRecorder(topology, detail) : null;
    }

    public void accept(long now, HistoryRecord record) {
        preemptions.accept(now, record);
        read(now, record);
        if (started) { // faults before the first job do not count
            series.update(
                    now, metrics.busyGpus(), metrics.freeGpus(), metrics.strandedGpus(), waitingJobs, waitingGpus);
            at = now;
        }
    }

    private void begin(long now) {
        started = true;
        if (gantt != null) {
            gantt.begin(now);
        }
    }

    @Override
    public void submitted(long now, HistoryRecord.Submitted record) {
        begin(now);
        jobs.put(record.jobId(), new RecordedJob(record.job()));
        countWaiting(record.job(), 1);
    }

    @Override
    public void jobRejected(long now, HistoryRecord.JobRejected record) {
        begin(now);
    }

    @Override
    public void running(long now, HistoryRecord.Running record) {
        RecordedJob recordedJob = jobs.get(record.jobId());
        if (recordedJob != null) {
            recordedJob.runningMillis = now;
        }
    }

    @Override
    public void preempting(long now, HistoryRecord.Preempting record) {
        RecordedJob recordedJob = jobs.get(record.jobId());
        if (recordedJob != null) {
            recordedJob.stoppedMillis = now;
            RecordedJob beneficiary = jobs.get(record.beneficiary());
            recordedJob.beneficiary = beneficiary == null ? recordedJob.job : beneficiary.job;
        }
    }

    @Override
    public void cancelling(long now, HistoryRecord.Cancelling record) {
        stop(now, record.jobId());
    }

    @Override
    public void profiled(long now, HistoryRecord.Profiled record) {
        stop(now, record.jobId());
    }

    private void stop(long now, long jobId) {
        RecordedJob recordedJob = jobs.get(jobId);
        if (recordedJob != null) {
            recordedJob.stoppedMillis = now;
        }
    }

    @Override
    public void jobEnded(long now, HistoryRecord.JobEnded record) {
        RecordedJob recordedJob = jobs.remove(record.jobId());
        if (recordedJob != null) {
            countWaiting(recordedJob.job, -1);
        }
    }

    @Override
    public void started(long now, HistoryRecord.Started record) {
        RecordedJob recordedJob = jobs.get(record.jobId());
        if (recordedJob == null) {
            return;
        }
        countWaiting(recordedJob.job, -1);
        recordedJob.held = record.allocation();
        recordedJob.attempt = record.attempt();
        recordedJob.startedMillis = now;
        recordedJob.runningMillis = -1;
        recordedJob.stoppedMillis = -1;
        if (gantt != null) {
            gantt.onStarted(recordedJob, record.allocation());
        }
    }

    @Override
    public void attemptEnded(long now, HistoryRecord.AttemptEnded record) {
        RecordedJob recordedJob = jobs.get(record.jobId());
        if (recordedJob == null || recordedJob.held == null) {
            return;
        }
        if (gantt != null) {
            gantt.onAttemptEnded(
                    now, recordedJob, record.outcome().name(), record.usage().lostMillis());
        }
        recordedJob.held = null;
        recordedJob.beneficiary = null;
        if (record.next() != JobState.PENDING) {
            jobs.remove(record.jobId());
        } else {
            countWaiting(recordedJob.job, 1);
        }
    }

    private void countWaiting(Job job, int sign) {
        waitingJobs += sign;
        waitingGpus += (long) sign * job.demand().maxGpus();
    }

    public RunRecording recording() {
        List<JobResult> results = metrics.results();
        return new RunRecording(
                curve(results, JobResult::jctMillis),
                curve(results, JobResult::waitMillis),
                WaitDistribution.of(results),
                series.series(topology.gpuCount(), topology.nodes().size() == 1),
                preemptions.preemptions(),
                gantt == null ? null : gantt.gantt(at));
    }

    private static EmpiricalCdf curve(List<JobResult> results, ToDoubleFunction<JobResult> millis) {
        return EmpiricalCdf.of(results.stream()
                .filter(r -> r.state() == JobState.COMPLETED)
                .mapToDouble(r -> millis.applyAsDouble(r) / 1000)
                .toArray());
    }
}
