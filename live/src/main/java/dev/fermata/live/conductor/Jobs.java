package dev.fermata.live.conductor;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.spec.JobSpec;
import java.util.List;

/** A job as the scheduler sees it, made of what its user asked for. */
public final class Jobs {
    /** Who runs out of memory is tried once more. */
    private static final int OUT_OF_MEMORY = 1;

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
                .maxOutOfMemory(OUT_OF_MEMORY)
                .limitMillis(spec.limitMillis())
                .after(after)
                .bundle(bundle)
                .locality(locality(spec.locality()))
                .build();
        return with(asked, spec, known);
    }

    /** How much faster than the reference GPU a job that trains so is on the first type of this cluster that it accepts. */
    public static double speed(JobSpec spec, Topology topology, Profile profile) {
        for (GpuType type : topology.types()) {
            if (accepts(spec, type)) {
                return profile.speedOn(type);
            }
        }
        return 1;
    }

    static boolean accepts(JobSpec spec, GpuType type) {
        return spec.accelerators().isEmpty() || spec.accelerators().stream().anyMatch(type.name()::equalsIgnoreCase);
    }

    private static Locality locality(JobSpec.Locality asked) {
        return new Locality(
                asked.want().equals("rack") ? Tier.RACK : Tier.NODE,
                asked.waitMillis() < 0 ? Locality.AS_LONG_AS_IT_PAYS : asked.waitMillis());
    }

    /** A kind that loses its work when it is paused is to the policies one that cannot save within its grace. */
    private static Costs costs(Knowledge known, JobSpec spec) {
        Costs costs = known.costs();
        return known.saves()
                ? costs
                : new Costs(
                        Math.max(costs.pauseMillis(), spec.preempt().graceMillis() + 1),
                        costs.buildMillis(),
                        costs.restoreMillis(),
                        costs.warmupMillis());
    }

    /** The same job with what is believed of its kind; what its user says counts before that. */
    static Job with(Job job, JobSpec spec, Knowledge known) {
        return job.toBuilder(job.id())
                .costs(costs(known, spec))
                .profile(known.profile())
                .checkpointMillis(
                        spec.checkpoint().everyMillis() > 0
                                ? spec.checkpoint().everyMillis()
                                : known.checkpointMillis())
                .minRuntimeMillis(spec.preempt().minRuntimeMillis())
                .build();
    }
}
