package dev.fermata.live.learning;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.CoRunStore;
import dev.fermata.live.profile.CommandFeatures;
import dev.fermata.live.profile.CommandFingerprints;
import dev.fermata.live.profile.MemorySizing;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileStore;
import dev.fermata.live.profile.ProfileUpdate;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The learned profiles, applied to the jobs of this cluster. Live jobs are updated when a profile changes so much that a
 * decision may depend on it. Only the scheduler loop's thread uses it.
 */
public final class ProfileService {
    private static final Logger LOG = LoggerFactory.getLogger(ProfileService.class);
    /** Profiles that a restart reads; those without a run for the longest time are dropped first. */
    private static final int MAX_PROFILES = 5_000;
    /** Costs that differ by less than this share, or less than this time, count as equal. */
    private static final double MATERIAL_SHARE = 0.2;

    private static final long MATERIAL_MILLIS = 200;
    /** Co-run slowdowns that differ by no more than this count as equal. */
    private static final double MATERIAL_SLOWDOWN = 0.05;

    /** Jobs updated in one cycle at most; the next cycle updates the others. */
    private static final int MAX_UPDATES_PER_CYCLE = 200;

    static final String PROFILE_STEPS = CommandFeatures.PROFILE_STEPS;

    public final ProfileStore profileStore;
    public final CommandFingerprints fingerprints = new CommandFingerprints();
    public final CoRunStore coRuns = new CoRunStore();
    private final Supplier<Topology> cluster;
    private final UnprofiledKeys unprofiled;
    /** The estimate that live jobs of each key were last updated with. */
    private final Map<ProfileKey, ProfileEstimate> published = new HashMap<>();

    /** Keys that learned something in this cycle. */
    private final Set<ProfileKey> updatedKeys = new LinkedHashSet<>();

    /** Live jobs whose profile may have changed. */
    private final Set<LiveJob> staleJobs = new LinkedHashSet<>();

    private ProfileService(ProfileStore profileStore, Supplier<Topology> cluster, UnprofiledKeys unprofiled) {
        this.profileStore = profileStore;
        this.cluster = cluster;
        this.unprofiled = unprofiled;
    }

    /** Restores the profiles from their rows and from the history entries after the snapshot. */
    public static ProfileService recover(
            Store.StoreReader reader,
            List<HistoryEntry> entries,
            Supplier<Topology> cluster,
            ProfileSettings settings) {
        ProfileStore profileStore = new ProfileStore(settings.assumedCosts());
        ProfileService profiles =
                new ProfileService(profileStore, cluster, new UnprofiledKeys(profileStore, settings.waitMillis()));
        try {
            profileStore.restore(reader.profiles(MAX_PROFILES), entries);
            profiles.coRuns.restore(reader.coRuns(MAX_PROFILES));
        } catch (StoreException e) {
            LOG.warn("profiles: stored profiles cannot be read, costs are assumed: {}", e.getMessage());
        }
        return profiles;
    }

    /** The estimate for a job that is not placed yet: on the first GPU type it accepts, with its maximal number of GPUs. */
    ProfileEstimate estimateFor(JobSpec spec) {
        return estimateFor(fingerprints.keyOf(spec), spec);
    }

    /** The same for a job whose program key is known. */
    public ProfileEstimate estimateFor(ProfileKey programKey, JobSpec spec) {
        ProfileEstimate known = estimateOf(expectedKey(programKey, spec));
        return isProfileRun(spec)
                ? known.withProfile(known.profile().withName("profile of " + programKey.label()))
                : known;
    }

    /** A profiling job ends after a few steps, so its profile has a name of its own: it says nothing about run times. */
    private static boolean isProfileRun(JobSpec spec) {
        return spec.env().containsKey(PROFILE_STEPS);
    }

    /** The profile key of a job before it is placed. */
    private ProfileKey expectedKey(ProfileKey programKey, JobSpec spec) {
        return programKey.onGpus(firstAcceptedType(spec), spec.maxGpus());
    }

    /** The profiling run that the job waits for or is, if its key is not profiled. */
    ProfileFirst profileFirst(ProfileKey programKey, JobSpec spec) {
        return isProfileRun(spec) ? ProfileFirst.NONE : unprofiled.profileFirst(expectedKey(programKey, spec));
    }

    /** The profiling run is over; no job waits for it any more. */
    void markProfiled(ProfileFirst probe) {
        unprofiled.finish(probe);
    }

    /** The estimate of a key, with its co-run measurements. */
    private ProfileEstimate estimateOf(ProfileKey key) {
        ProfileEstimate known = profileStore.estimate(key);
        Profile seen = coRuns.applyTo(
                key,
                known.profile(),
                profileStore.statistics(key).overrides().containsKey(ProfileMetric.BUSY_PERMILLE));
        return seen.equals(known.profile()) ? known : known.withProfile(seen);
    }

    /** The step time of such a job alone on its GPUs; -1 when unknown. */
    long iterationMicros(ProfileKey programKey, Allocation allocation) {
        return profileStore.statistics(keyOf(programKey, allocation)).value(ProfileMetric.ITERATION_MICROS);
    }

    private String firstAcceptedType(JobSpec spec) {
        for (GpuType type : cluster.get().types()) {
            if (JobFactory.accepts(spec, type)) {
                return type.name();
            }
        }
        return "";
    }

    /** Adds the measurements of an attempt. The live jobs of its key are updated once per cycle. */
    public void learn(AttemptMeasurements measured, ProfileUpdate profileUpdate, LearningOutput output) {
        record(measured, profileUpdate, output);
        markUpdated(profileUpdate.profileKey());
    }

    void markUpdated(ProfileKey key) {
        updatedKeys.add(key);
    }

    /** Adds the measurements of an attempt without updating live jobs. */
    void record(AttemptMeasurements measured, ProfileUpdate profileUpdate, LearningOutput output) {
        profileStore.learn(measured, profileUpdate, output.nowMillis());
        output.addCoRunRows(coRuns.learn(profileUpdate.profileKey(), measured.coRuns(), output.nowMillis()));
    }

    /** Marks the live jobs of keys whose estimate changed materially. */
    private void publishUpdates(LiveJobIndex liveJobs) {
        for (ProfileKey key : updatedKeys) {
            boolean own = differsFromPublished(key);
            boolean alike = !profileStore.isOnlyKeyOfProgram(key) && differsFromPublished(key.programKey());
            if (own || alike) {
                markStale(key.programKey(), liveJobs);
            }
        }
        updatedKeys.clear();
    }

    /** Whether the estimate of a key differs materially from the one its jobs were last updated with. */
    private boolean differsFromPublished(ProfileKey key) {
        ProfileEstimate now = estimateOf(key);
        ProfileEstimate before = published.get(key);
        boolean update = before == null
                || before.keepsWork() != now.keepsWork()
                || before.profile().peakMemoryMib() != now.profile().peakMemoryMib()
                || sharesDiffer(before.profile(), now.profile())
                || costsDiffer(before.costs(), now.costs())
                || differ(before.checkpointMillis(), now.checkpointMillis());
        if (update) {
            published.put(key, now);
        }
        return update;
    }

    /** The profile key of an attempt on these GPUs. */
    public ProfileKey keyOf(ProfileKey programKey, Allocation allocation) {
        Topology topology = cluster.get();
        GpuType type = topology.types().get(topology.typeOf(allocation.gpu(0)));
        return programKey.onGpus(type.name(), allocation.size());
    }

    /** The job with its memory reservation, which never shrinks. */
    Job withMemoryReservation(Job job, JobSpec spec, ProfileKey programKey) {
        int before = job.demand().gpuMemoryMib();
        int reservation = Math.max(before, memoryReservationMib(programKey, spec));
        return reservation == before ? job : job.withDemand(job.demand().withGpuMemory(reservation));
    }

    /** The declared run time as work on the reference GPU. Users declare wall-clock time on the GPUs of the job. */
    long declaredMillis(JobSpec spec) {
        return spec.timeMillis() == 0 ? 0 : Math.round(spec.timeMillis() * speedFor(spec, estimateFor(spec)));
    }

    /** Speed relative to the reference GPU on the first GPU type that the spec accepts. */
    double speedFor(JobSpec spec, ProfileEstimate known) {
        return JobFactory.speed(spec, cluster.get(), known.profile());
    }

    /** Memory of each of these GPUs. */
    int gpuMemoryMib(Allocation allocation) {
        Topology topology = cluster.get();
        return topology.types().get(topology.typeOf(allocation.gpu(0))).memoryMib();
    }

    /** The memory reservation of a job; 0 when its need is unknown or the job exists to measure it. */
    int memoryReservationMib(ProfileKey programKey, JobSpec spec) {
        if (isProfileRun(spec)) {
            return 0;
        }
        int whole = 0;
        for (GpuType type : cluster.get().types()) {
            whole = JobFactory.accepts(spec, type) ? Math.max(whole, type.memoryMib()) : whole;
        }
        return MemorySizing.reservationMib(
                spec.gpuMemoryMib(), profileStore.statistics(expectedKey(programKey, spec)), whole);
    }

    /** The live jobs of this program need an update. */
    public void markStale(ProfileKey programKey, LiveJobIndex liveJobs) {
        staleJobs.addAll(liveJobs.ofProgram(programKey));
    }

    /** The live jobs of programs that an attempt was co-located with need an update. */
    public void markNeighboursStale(AttemptMeasurements measured, LiveJobIndex liveJobs) {
        measured.coRuns().forEach(coRun -> staleJobs.addAll(liveJobs.withLabel(coRun.neighbour())));
    }

    /** Something shows that this job can save. */
    public void recordSaveAbility(LiveJob job) {
        job.canSave = true;
        staleJobs.add(job);
    }

    /** This job needs an update. */
    void markStale(LiveJob job) {
        staleJobs.add(job);
    }

    /** Whether live jobs wait for an update. */
    public boolean hasStaleJobs() {
        return !staleJobs.isEmpty();
    }

    /** Sends the scheduler an update of every live job whose profile changed materially. */
    public void updateJobs(Scheduler scheduler, LiveJobIndex liveJobs, LearningOutput output) {
        publishUpdates(liveJobs);
        Iterator<LiveJob> jobs = staleJobs.iterator();
        for (int i = 0; i < MAX_UPDATES_PER_CYCLE && jobs.hasNext(); i++) {
            LiveJob job = jobs.next();
            jobs.remove();
            JobView view = scheduler.job(job.id);
            if (view != null && !job.state().isFinal()) {
                updateJob(job, view, view.state() == JobState.PENDING && !view.hasReservation(), output);
            }
        }
    }

    /** Updates a job that is back in the queue; its memory need may be known by now. */
    public void updateRequeued(LiveJob job, JobView view, LearningOutput output) {
        updateJob(job, view, true, output);
    }

    private void updateJob(LiveJob job, JobView view, boolean waits, LearningOutput output) {
        JobSpec spec = output.currentSpec(job);
        Job known = output.currentJob(view);
        Job updated = JobFactory.withProfile(
                known, spec, estimateFor(job.programKey, spec).withSaveAbility(job.canSave));
        updated = waits ? withMemoryReservation(updated, spec, job.programKey) : updated;
        if (!known.profileFirst().isNone()
                && (view.hasReservation() || profileFirst(job.programKey, spec).isNone())) {
            updated = updated.toBuilder(job.id).profileFirst(ProfileFirst.NONE).build();
        }
        if (differsMaterially(known, updated)) {
            output.addEvent(new Event.JobUpdated(updated));
        }
    }

    private static boolean differsMaterially(Job before, Job after) {
        return !before.demand().equals(after.demand())
                || sharesDiffer(before.profile(), after.profile())
                || !before.profileFirst().equals(after.profileFirst())
                || costsDiffer(before.costs(), after.costs())
                || differ(before.checkpointMillis(), after.checkpointMillis())
                || differ(before.minRuntimeMillis(), after.minRuntimeMillis());
    }

    private static boolean sharesDiffer(Profile before, Profile after) {
        Map<String, Double> known = before.coRunSlowdown();
        Map<String, Double> now = after.coRunSlowdown();
        return before.busyShare() != after.busyShare()
                || !known.keySet().equals(now.keySet())
                || known.entrySet().stream()
                        .anyMatch(coRun ->
                                Math.abs(coRun.getValue() - now.getOrDefault(coRun.getKey(), 0.0)) > MATERIAL_SLOWDOWN);
    }

    private static boolean costsDiffer(Costs before, Costs after) {
        return before.checkpointing() != after.checkpointing()
                || differ(before.preemptMillis(), after.preemptMillis())
                || differ(before.reloadMillis(), after.reloadMillis())
                || differ(before.firstLoadMillis(), after.firstLoadMillis())
                || before.suspend().reach() != after.suspend().reach()
                || differ(before.suspend().outMillis(), after.suspend().outMillis())
                || differ(before.suspend().inMillis(), after.suspend().inMillis())
                || before.suspend().memoryMibPerGpu() != after.suspend().memoryMibPerGpu();
    }

    private static boolean differ(long before, long after) {
        long apart = Math.abs(after - before);
        return apart > MATERIAL_MILLIS && apart > MATERIAL_SHARE * before;
    }
}
