package dev.fermata.live.learning;

import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.RunFeatures;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.live.profile.CommandFeatures;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SuspendRule;
import java.util.List;

/** Creates the scheduler's view of a job from its spec and its profile. */
public final class JobFactory {
    /** A job that runs out of memory is started once more. */
    private static final int MAX_OUT_OF_MEMORY = 1;

    private static final String DEFAULT_SIGNAL = "TERM";

    private JobFactory() {}

    /** A job outside any array, with all dependencies of its spec. */
    public static Job create(JobSpec spec, long id, String user, ProfileEstimate known) {
        return create(spec, id, user, known, spec.dependencies(), JobArray.NONE, CommandFeatures.of(spec));
    }

    /**
     * @param known the estimate for its profile key
     * @param after dependencies on jobs that have not ended
     * @param features those of its command
     */
    static Job create(
            JobSpec spec,
            long id,
            String user,
            ProfileEstimate known,
            List<Dependency> after,
            JobArray jobArray,
            RunFeatures features) {
        Demand demand = new Demand(
                spec.minGpus(),
                spec.maxGpus(),
                spec.gpuMemoryMib(),
                1000,
                spec.accelerators(),
                spec.cpuMilli(),
                spec.memoryMib(),
                spec.splitBatch());
        Job asked = Job.builder(id, 1)
                .demand(demand)
                .name(spec.name())
                .user(user)
                .queue(spec.queue())
                .jobClass(spec.jobClass())
                .declaredMillis(spec.timeMillis())
                .features(features)
                .graceMillis(spec.preempt().graceMillis())
                .priority(spec.priority())
                .maxPreemptions(spec.preempt().maxTimes())
                .maxOutOfMemory(MAX_OUT_OF_MEMORY)
                .limitMillis(spec.limitMillis())
                .dependencies(after)
                .array(jobArray)
                .locality(locality(spec.locality()))
                .build();
        return withProfile(asked, spec, known);
    }

    /** Speed relative to the reference GPU on the first GPU type that the spec accepts. */
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

    private static Locality locality(JobSpec.LocalitySpec asked) {
        return new Locality(
                switch (asked.scope()) {
                    case "rack" -> Tier.RACK;
                    case "any" -> Tier.NETWORK;
                    default -> Tier.NODE;
                },
                asked.waitMillis() < 0 ? Locality.POLICY_DECIDES : asked.waitMillis());
    }

    /**
     * A program that was never seen to save is not put to the test where it can be suspended. A job file that names its own
     * signal says that the program handles it, until a preemption shows otherwise.
     */
    private static Costs costs(JobSpec spec, ProfileEstimate known) {
        boolean handles = !spec.checkpoint().signal().equals(DEFAULT_SIGNAL);
        ProfileEstimate shown = known.withSaveAbility(handles);
        boolean suspends = spec.preempt().suspend() != SuspendRule.NEVER;
        boolean says = spec.checkpoint().intervalMillis() > 0 || !suspends;
        boolean untested = !shown.saving().seen() && !says;
        boolean lost = !shown.keepsWork() && shown.preemptBasis() != ProfileEstimate.Basis.ASSUMED;
        Checkpointing saves;
        if (untested && !lost && shown.saving().engineSuspends() && (shown.keepsWork() || canBeSuspended(shown))) {
            saves = Checkpointing.ASSUMED;
        } else {
            saves = shown.keepsWork() ? Checkpointing.ON_PREEMPTION : Checkpointing.NONE;
        }
        Costs costs = known.costs().withCheckpointing(saves);
        return suspends ? costs : costs.withSuspend(SuspendCosts.CANNOT);
    }

    private static boolean canBeSuspended(ProfileEstimate known) {
        return known.costs().suspend().possible();
    }

    /** The job with its profile; values that the spec states take precedence. */
    static Job withProfile(Job job, JobSpec spec, ProfileEstimate known) {
        return job.toBuilder(job.id())
                .costs(costs(spec, known))
                .profile(known.profile())
                .checkpointMillis(
                        spec.checkpoint().intervalMillis() > 0
                                ? spec.checkpoint().intervalMillis()
                                : known.checkpointMillis())
                .minRuntimeMillis(spec.preempt().minRuntimeMillis())
                .build();
    }
}
