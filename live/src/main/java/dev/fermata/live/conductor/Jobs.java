package dev.fermata.live.conductor;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.spec.JobSpec;
import java.util.List;

/** A job as the scheduler sees it, made of what its user asked for. */
public final class Jobs {
    private Jobs() {}

    /** A job of no array that waits for all that its spec names. */
    public static Job of(JobSpec spec, long id, String user, Knowledge known) {
        return of(spec, id, user, known, spec.after(), Bundle.NONE);
    }

    /**
     * @param known what is believed of jobs of its kind
     * @param after those of the jobs it comes after that have not ended
     */
    static Job of(JobSpec spec, long id, String user, Knowledge known, List<After> after, Bundle bundle) {
        Demand demand = new Demand(
                spec.minGpus(),
                spec.maxGpus(),
                spec.gpuMemoryMib(),
                1000,
                spec.accelerators(),
                spec.cpuMilli(),
                spec.memoryMib());
        Job asked = Job.builder(id, 1)
                .demand(demand)
                .name(spec.name())
                .user(user)
                .queue(spec.queue())
                .jobClass(spec.jobClass())
                .declaredMillis(spec.timeMillis())
                .graceMillis(spec.preempt().graceMillis())
                .priority(spec.priority())
                .maxPreemptions(spec.preempt().maxTimes())
                .limitMillis(spec.limitMillis())
                .after(after)
                .bundle(bundle)
                .build();
        return with(asked, spec, known);
    }

    /** The same job with what is believed of its kind; what its user says counts before that. */
    static Job with(Job job, JobSpec spec, Knowledge known) {
        return job.toBuilder(job.id())
                .costs(known.costs())
                .profile(known.profile())
                .checkpointMillis(
                        spec.checkpoint().everyMillis() > 0
                                ? spec.checkpoint().everyMillis()
                                : known.checkpointMillis())
                .minRuntimeMillis(Math.max(spec.preempt().minRuntimeMillis(), known.settleMillis()))
                .build();
    }
}
