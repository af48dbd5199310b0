package dev.fermata.sim.portrait;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.Meter;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Hears a run fact by fact, each after the meter has heard it, and draws its portrait in the end. */
public final class Portraitist {
    private final Topology topology;
    private final Meter meter;
    private final LongMap<Life> lives = new LongMap<>();
    private final SeriesRecorder series = new SeriesRecorder();
    private final PreemptionRecorder preemptions = new PreemptionRecorder();
    private final @Nullable GanttRecorder gantt;
    private long waitingJobs;
    private long waitingGpus;
    private boolean begun;
    private long at;

    public Portraitist(Topology topology, Meter meter, Portrait.Detail detail) {
        this.topology = topology;
        this.meter = meter;
        this.gantt = detail.ganttRows() > 0 ? new GanttRecorder(topology, detail) : null;
    }

    public void accept(long now, Fact fact) {
        preemptions.accept(now, fact);
        if (fact instanceof Fact.Submitted f) {
            begin(now);
            lives.put(f.jobId(), new Life(f.job()));
            waits(f.job(), 1);
        } else if (fact instanceof Fact.Refused) {
            begin(now);
        } else {
            Life life = lives.get(fact.jobId());
            if (life != null) {
                accept(now, fact, life);
            }
        }
        if (begun) { // a fault before the first job is nobody's time
            series.state(now, meter.busyGpus(), meter.freeGpus(), meter.strandedGpus(), waitingJobs, waitingGpus);
            at = now;
        }
    }

    private void begin(long now) {
        begun = true;
        if (gantt != null) {
            gantt.begin(now);
        }
    }

    private void accept(long now, Fact fact, Life life) {
        if (fact instanceof Fact.Started f) {
            started(now, f, life);
        } else if (fact instanceof Fact.Running) {
            life.runningMillis = now;
        } else if (fact instanceof Fact.Pausing f) {
            life.stoppedMillis = now;
            Life beneficiary = lives.get(f.beneficiary());
            life.pausedFor = beneficiary == null ? life.job : beneficiary.job;
        } else if (fact instanceof Fact.Cancelling || fact instanceof Fact.Profiled) {
            life.stoppedMillis = now;
        } else if (fact instanceof Fact.Left f) {
            left(now, f, life);
        } else if (fact instanceof Fact.Ended) {
            waits(life.job, -1);
            lives.remove(fact.jobId());
        }
    }

    private void started(long now, Fact.Started fact, Life life) {
        waits(life.job, -1);
        life.held = fact.allocation();
        life.attempt = fact.attempt();
        life.startedMillis = now;
        life.runningMillis = -1;
        life.stoppedMillis = -1;
        if (gantt != null) {
            gantt.started(life, fact.allocation());
        }
    }

    private void left(long now, Fact.Left fact, Life life) {
        Allocation held = life.held;
        if (held == null) {
            return;
        }
        if (gantt != null) {
            gantt.left(now, life, fact.outcome().name(), fact.usage().lostMillis());
        }
        life.held = null;
        life.pausedFor = null;
        if (fact.next() != JobState.PENDING) {
            lives.remove(fact.jobId());
        } else {
            waits(life.job, 1);
        }
    }

    private void waits(Job job, int sign) {
        waitingJobs += sign;
        waitingGpus += (long) sign * job.demand().maxGpus();
    }

    public Portrait portrait() {
        List<JobResult> results = meter.results();
        return new Portrait(
                curve(results, JobResult::jctMillis),
                curve(results, JobResult::waitMillis),
                Group.of(results),
                series.series(topology.gpuCount(), topology.nodes().size() == 1),
                preemptions.preemptions(),
                gantt == null ? null : gantt.gantt(at));
    }

    private static Curve curve(List<JobResult> results, ToDoubleFunction<JobResult> millis) {
        return Curve.of(results.stream()
                .filter(r -> r.state() == JobState.COMPLETED)
                .mapToDouble(r -> millis.applyAsDouble(r) / 1000)
                .toArray());
    }
}
