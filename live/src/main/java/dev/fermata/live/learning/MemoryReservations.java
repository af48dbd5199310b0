package dev.fermata.live.learning;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.EnoughEvidence;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * GPU memory reservations of jobs, and the handling of jobs that run out of memory. A job that exceeded its reservation
 * is started once more with a whole GPU. A job that had a whole GPU, or hit its own limit, is not started again.
 */
public final class MemoryReservations {
    private final Scheduler scheduler;
    private final ProfileService profiles;

    public MemoryReservations(Scheduler scheduler, ProfileService profiles) {
        this.scheduler = scheduler;
        this.profiles = profiles;
    }

    /** The job that a spec describes, with its profile. */
    public Job describeJob(JobSpec spec, long id, String user, List<Dependency> after, JobArray jobArray) {
        ProfileKey programKey = programKey(spec);
        ProfileEstimate known = profiles.estimateFor(programKey, spec);
        Job job =
                JobFactory.create(spec, id, user, known, after, jobArray, profiles.fingerprints.featuresOf(spec))
                        .toBuilder(id)
                        .declaredMillis(profiles.declaredMillis(spec))
                        .profileFirst(profiles.profileFirst(programKey, spec))
                        .build();
        return profiles.withMemoryReservation(job, spec, programKey);
    }

    public ProfileKey programKey(JobSpec spec) {
        return profiles.fingerprints.keyOf(spec);
    }

    public long declaredMillis(JobSpec spec) {
        return profiles.declaredMillis(spec);
    }

    /** Metrics that an attempt gives no valid sample of: it ended too early or shared its GPUs. */
    public static Set<ProfileMetric> unusableMetrics(
            Event.AttemptEnded ended, LiveAttempt run, AttemptMeasurements measured) {
        Set<ProfileMetric> unusable = EnumSet.noneOf(ProfileMetric.class);
        boolean representative = ended.outcome() == Outcome.COMPLETED
                || EnoughEvidence.isGiven(ended.usage().runMillis(), measured.step());
        if (!representative) {
            unusable.addAll(Set.of(ProfileMetric.PEAK_MEMORY_MIB, ProfileMetric.BUSY_PERMILLE));
        }
        if (run.coLocated) {
            unusable.addAll(Set.of(ProfileMetric.ITERATION_MICROS, ProfileMetric.BUSY_PERMILLE));
        }
        return unusable;
    }

    /** Handles an attempt that ran out of memory; returns its exit with the reason why it is not started again, if so. */
    public EngineEvent.AttemptExit handleOutOfMemory(
            Event.AttemptEnded ended,
            EngineEvent.AttemptExit exit,
            LiveJob job,
            LiveAttempt run,
            LearningOutput output) {
        Job known = Objects.requireNonNull(scheduler.job(job.id)).job();
        boolean ofGpu = exit.exhaustedResource() == ExhaustedResource.GPU_MEMORY;
        int whole = profiles.gpuMemoryMib(run.allocation);
        int had = grantedMib(known, run.allocation, whole);
        if (ofGpu) {
            output.addInsufficientMemory(job.id, had);
        }
        String why = noRetryReason(ofGpu, had >= whole, job.spec);
        if (!why.isEmpty()) {
            output.addEvent(ended.withoutRetry());
            return exit.withDetail(exit.detail() + "; " + why);
        }
        output.addEvent(ended);
        if (ofGpu) {
            output.addEvent(new Event.JobUpdated(known.withDemand(known.demand().withGpuMemory(whole))));
        }
        return exit;
    }

    /**
     * A person changes profiles; the next cycle updates their live jobs.
     *
     * @param forget whether the profiles and their co-run measurements are deleted instead of changed
     */
    public void updateProfiles(
            Map<ProfileKey, UnaryOperator<ProfileSamples>> changes,
            boolean forget,
            LiveJobIndex liveJobs,
            LearningOutput output) {
        long now = output.nowMillis();
        changes.forEach((key, change) -> {
            if (forget) {
                output.addUpdatedKeys(profiles.profileStore.forget(key, now));
                output.addCoRunRows(profiles.coRuns.forget(key, now));
            } else {
                profiles.profileStore.replace(key, change.apply(profiles.profileStore.samples(key)), now);
                output.addUpdatedKeys(List.of(key));
            }
            profiles.markStale(key.programKey(), liveJobs);
        });
    }

    /** Memory that the job could use on each of its GPUs. */
    private static int grantedMib(Job job, Allocation allocation, int whole) {
        return allocation.shared() ? Math.min(whole, job.demand().gpuMemoryMib()) : whole;
    }

    private static String noRetryReason(boolean ofGpu, boolean hadAll, JobSpec spec) {
        if (ofGpu && hadAll) {
            return "it had all memory of its GPU, so it is not started again";
        }
        return !ofGpu && spec.memoryMib() > 0
                ? "it is not started again: give it more than memory: " + spec.memoryMib() + "MiB"
                : "";
    }
}
