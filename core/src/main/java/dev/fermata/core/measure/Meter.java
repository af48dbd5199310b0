package dev.fermata.core.measure;

import dev.fermata.core.contract.Fact;
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

/** Reads a history fact by fact and keeps what the measures need. Never asks the ledger or the engine anything. */
public final class Meter {
    /** Notes about a job that has not ended. */
    private static final class Tally {
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

        Tally(Job job, long now) {
            this.job = job;
            this.submitMillis = now;
            this.pendingSince = now;
        }
    }

    private final Topology topology;
    private final Occupancy occupancy;
    private final LongMap<Tally> live = new LongMap<>();
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

    public Meter(Topology topology) {
        this.topology = topology;
        this.occupancy = new Occupancy(topology);
    }

    public void accept(long nowMillis, Fact fact) {
        if (fact instanceof Fact.Submitted f) {
            submitted(nowMillis, f.job());
        } else if (fact instanceof Fact.Refused f) {
            submitted(nowMillis, f.job());
            ended(nowMillis, f.job().id(), JobState.UNSATISFIABLE);
        } else if (fact instanceof Fact.Started f) {
            started(nowMillis, f);
        } else if (fact instanceof Fact.Running f) {
            Tally tally = live.get(f.jobId());
            if (tally != null && tally.held != null) {
                tally.progressing = true;
                occupancy.progress(nowMillis, tally.held, 1);
            }
        } else if (fact instanceof Fact.Pausing f) {
            Tally tally = live.get(f.jobId());
            if (tally != null) {
                preemptions++;
                preemptedJobs += tally.preemptions++ == 0 ? 1 : 0;
                stopped(nowMillis, tally);
            }
        } else if (fact instanceof Fact.Cancelling || fact instanceof Fact.Profiled) {
            Tally tally = live.get(fact.jobId());
            if (tally != null) {
                stopped(nowMillis, tally);
            }
        } else if (fact instanceof Fact.Left f) {
            left(nowMillis, f);
        } else if (fact instanceof Fact.Capacity f) {
            occupancy.capacity(nowMillis, f.gpusUp());
        } else if (fact instanceof Fact.Ended f) {
            Tally tally = live.get(f.jobId());
            if (tally != null) {
                tally.wait += nowMillis - tally.pendingSince;
                ended(nowMillis, f.jobId(), f.state());
            }
        }
    }

    private void submitted(long now, Job job) {
        if (firstSubmit < 0) {
            firstSubmit = now;
            occupancy.begin(now);
        }
        live.put(job.id(), new Tally(job, now));
    }

    private void started(long now, Fact.Started fact) {
        Tally tally = live.get(fact.jobId());
        if (tally == null) {
            return;
        }
        tally.wait += now - tally.pendingSince;
        tally.firstStart = tally.firstStart < 0 ? now : tally.firstStart;
        tally.startedAt = now;
        tally.attempts++;
        tally.held = fact.allocation();
        tally.tier = fact.allocation().tier();
        tally.gpuType = topology.typeOf(fact.allocation().gpu(0));
        occupancy.hold(now, fact.allocation(), 1);
    }

    private void left(long now, Fact.Left fact) {
        Tally tally = live.get(fact.jobId());
        if (tally == null || tally.held == null) {
            return;
        }
        stopped(now, tally);
        occupancy.hold(now, tally.held, -1);
        int gpus = tally.held.size();
        Usage usage = fact.usage();
        held += (now - tally.startedAt) * gpus;
        useful += usage.usefulMillis() * gpus;
        lost += usage.lostMillis() * gpus;
        overhead += (usage.loadMillis() + usage.pauseMillis()) * gpus;
        communication += usage.communicationMillis() * gpus;
        oomFailures += fact.outcome() == Outcome.OOM ? 1 : 0;
        tally.run += usage.ranMillis();
        tally.overhead += usage.loadMillis() + usage.pauseMillis();
        tally.held = null;
        tally.pendingSince = now;
        if (fact.next().isFinal()) {
            ended(now, fact.jobId(), fact.next());
        }
    }

    private void stopped(long now, Tally tally) {
        if (tally.progressing && tally.held != null) {
            occupancy.progress(now, tally.held, -1);
        }
        tally.progressing = false;
    }

    private void ended(long now, long id, JobState state) {
        Tally tally = live.remove(id);
        if (tally != null) {
            lastEnd = Math.max(lastEnd, now);
            results.add(new JobResult(
                    id,
                    tally.job.name(),
                    tally.job.jobClass(),
                    tally.job.demand().maxGpus(),
                    state,
                    tally.submitMillis,
                    tally.firstStart,
                    now,
                    tally.wait,
                    tally.run,
                    tally.overhead,
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

    /** GPUs with a job that makes progress, as of the last fact. */
    public int busyGpus() {
        return occupancy.busyGpus();
    }

    /** GPUs that are up and hold no job, as of the last fact. */
    public int freeGpus() {
        return occupancy.freeGpus();
    }

    /** Free GPUs on nodes that are partly in use, as of the last fact. */
    public long strandedGpus() {
        return occupancy.strandedGpus();
    }

    public Summary summary() {
        long span = firstSubmit < 0 ? 0 : lastEnd - firstSubmit;
        long running = useful + lost;
        int completed = (int)
                results.stream().filter(r -> r.state() == JobState.COMPLETED).count();
        return new Summary(
                JobStatistics.of(results),
                JobStatistics.of(of(JobClass.TRIAL)),
                JobStatistics.of(of(JobClass.BATCH)),
                results.size() - completed,
                span / 1000.0,
                span == 0 ? 0 : occupancy.busyGpuMillis() / ((double) span * topology.gpuCount()),
                occupancy.fragmentation(),
                running == 0 ? 0 : (double) communication / running,
                preemptions,
                preemptedJobs,
                oomFailures,
                new GpuTime(held, useful, overhead, lost, communication));
    }

    private List<JobResult> of(JobClass jobClass) {
        return results.stream().filter(r -> r.jobClass() == jobClass).toList();
    }
}
