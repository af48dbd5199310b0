package dev.fermata.live.conductor;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.live.spec.JobSpec;
import java.util.List;

/** A job as the scheduler sees it, made of what its user asked for. */
public final class Jobs {
    private Jobs() {}

    /** A job of no array that waits for all that its spec names. */
    public static Job of(JobSpec spec, long id, String user, Costs costs) {
        return of(spec, id, user, costs, spec.after(), Bundle.NONE);
    }

    /**
     * @param costs what pausing and loading it is taken to cost
     * @param after those of the jobs it comes after that have not ended
     */
    static Job of(JobSpec spec, long id, String user, Costs costs, List<After> after, Bundle bundle) {
        Demand demand = new Demand(
                spec.minGpus(),
                spec.maxGpus(),
                spec.gpuMemoryMib(),
                1000,
                spec.accelerators(),
                spec.cpuMilli(),
                spec.memoryMib());
        return Job.builder(id, 1)
                .demand(demand)
                .name(spec.name())
                .user(user)
                .queue(spec.queue())
                .jobClass(spec.jobClass())
                .costs(costs)
                .declaredMillis(spec.timeMillis())
                .graceMillis(spec.preempt().graceMillis())
                .checkpointMillis(spec.checkpoint().everyMillis())
                .priority(spec.priority())
                .maxPreemptions(spec.preempt().maxTimes())
                .limitMillis(spec.limitMillis())
                .minRuntimeMillis(spec.preempt().minRuntimeMillis())
                .after(after)
                .bundle(bundle)
                .build();
    }
}
