package dev.fermata.core.model;

import java.util.List;
import java.util.Objects;

/**
 * What a user submits. It holds what is declared or profiled, never how long the job will really run: only the engine
 * finds that out. {@link Builder} has the defaults; the accessors below read the parts.
 */
public record Job(
        long id,
        Identity identity,
        Demand demand,
        Profile profile,
        Costs costs,
        Timing timing,
        Limits limits,
        Constraints constraints) {
    public static final long DEFAULT_GRACE_MILLIS = 120_000;
    private static final int MAX_PRIORITY = 100_000;
    /** Without the memory guard a job may run out of memory many times. */
    private static final int DEFAULT_OUT_OF_MEMORY = 20;

    public static final int UNLIMITED_PREEMPTIONS = Integer.MAX_VALUE;

    /** Names and ranks of a job. */
    public record Identity(String name, String user, String queue, JobClass jobClass, int priority) {
        public Identity {
            Require.that(
                    Math.abs(priority) <= MAX_PRIORITY, "priority (%s) of job (%s) is too far from 0", priority, name);
        }
    }

    /**
     * What is declared of a job's work and checkpoints.
     *
     * @param declaredMillis the user's own estimate of the whole run time, 0 when none was given
     * @param iterations declared number of iterations, 0 when unknown
     * @param checkpointMillis the job saves by itself this often; 0 means only when it is preempted
     * @param features what its command says about its run time
     */
    public record Timing(long declaredMillis, long iterations, long checkpointMillis, RunFeatures features) {
        public Timing {
            Require.that(declaredMillis >= 0, "declared time (%s ms) must not be negative", declaredMillis);
            Objects.requireNonNull(features, "features");
            Require.that(checkpointMillis >= 0, "checkpoint interval (%s ms) must not be negative", checkpointMillis);
        }
    }

    /**
     * Bounds on what the scheduler may do to a job, and on how long it may run.
     *
     * @param graceMillis how long it may take to save and leave when it is preempted
     * @param minRuntimeMillis an attempt that has run for less is never a victim
     * @param maxPreemptions how often it may be preempted for others in its life
     * @param maxOutOfMemory how often it may run out of memory and be tried again; once more and it ends
     * @param limitMillis it is stopped for good after running this long over all attempts; 0 means never
     */
    public record Limits(
            long graceMillis, long minRuntimeMillis, int maxPreemptions, int maxOutOfMemory, long limitMillis) {
        public Limits {
            Require.that(graceMillis >= 0, "grace (%s ms) must not be negative", graceMillis);
            Require.that(minRuntimeMillis >= 0, "minimum run time (%s ms) must not be negative", minRuntimeMillis);
            Require.that(maxPreemptions >= 0, "max preemptions (%s) must not be negative", maxPreemptions);
            Require.that(maxOutOfMemory >= 0, "max out-of-memory (%s) must not be negative", maxOutOfMemory);
            Require.that(limitMillis >= 0, "time limit (%s ms) must not be negative", limitMillis);
        }
    }

    /**
     * What a job's start depends on, besides capacity.
     *
     * @param array the job array it is part of, or {@link JobArray#NONE}
     * @param dependencies jobs it waits for; jobs that ended before it was submitted are left out
     * @param locality how much it depends on GPUs near each other
     * @param profileFirst whether its profile key is yet to be measured
     */
    public record Constraints(
            JobArray array, List<Dependency> dependencies, Locality locality, ProfileFirst profileFirst) {
        public Constraints {
            dependencies = List.copyOf(dependencies);
            Objects.requireNonNull(locality, "locality");
            Objects.requireNonNull(profileFirst, "profileFirst");
        }
    }

    public Job {
        Require.that(id >= 0, "job id (%s) must not be negative", id);
    }

    public String name() {
        return identity.name();
    }

    public String user() {
        return identity.user();
    }

    public String queue() {
        return identity.queue();
    }

    public JobClass jobClass() {
        return identity.jobClass();
    }

    public int priority() {
        return identity.priority();
    }

    public long declaredMillis() {
        return timing.declaredMillis();
    }

    public long iterations() {
        return timing.iterations();
    }

    public long checkpointMillis() {
        return timing.checkpointMillis();
    }

    public RunFeatures features() {
        return timing.features();
    }

    public long graceMillis() {
        return limits.graceMillis();
    }

    public long minRuntimeMillis() {
        return limits.minRuntimeMillis();
    }

    public int maxPreemptions() {
        return limits.maxPreemptions();
    }

    public int maxOutOfMemory() {
        return limits.maxOutOfMemory();
    }

    public long limitMillis() {
        return limits.limitMillis();
    }

    public JobArray array() {
        return constraints.array();
    }

    public List<Dependency> dependencies() {
        return constraints.dependencies();
    }

    public Locality locality() {
        return constraints.locality();
    }

    public ProfileFirst profileFirst() {
        return constraints.profileFirst();
    }

    /** Whether it keeps its work when it is preempted. */
    public boolean savesWithinGrace() {
        return costs.checkpointing() != Checkpointing.NONE && costs.preemptMillis() <= graceMillis();
    }

    /** How long it holds its GPUs after a preemption begins: a job that cannot save uses its whole grace period. */
    public long vacateMillis() {
        return costs.checkpointing() == Checkpointing.NONE
                ? graceMillis()
                : Math.min(costs.preemptMillis(), graceMillis());
    }

    /** What a preemption takes of its time: leaving and loading again, lost work left out. */
    public long preemptionOverheadMillis() {
        long leaving = costs.checkpointing() == Checkpointing.NONE
                ? vacateMillis()
                : costs.preemptMillis(); // also what the grace cuts off
        return leaving + costs.reloadMillis();
    }

    public Job withCosts(Costs other) {
        return toBuilder(id).costs(other).build();
    }

    public Job withDemand(Demand other) {
        return toBuilder(id).demand(other).build();
    }

    public Job withId(long other) {
        return toBuilder(other).build();
    }

    /** A builder with all values of this job, for the same or another id. */
    public Builder toBuilder(long newId) {
        return new Builder(newId, demand)
                .name(name())
                .user(user())
                .queue(queue())
                .jobClass(jobClass())
                .profile(profile)
                .costs(costs)
                .declaredMillis(declaredMillis())
                .iterations(iterations())
                .graceMillis(graceMillis())
                .checkpointMillis(checkpointMillis())
                .features(features())
                .priority(priority())
                .maxPreemptions(maxPreemptions())
                .maxOutOfMemory(maxOutOfMemory())
                .limitMillis(limitMillis())
                .minRuntimeMillis(minRuntimeMillis())
                .dependencies(dependencies())
                .array(array())
                .locality(locality())
                .profileFirst(profileFirst());
    }

    public static Builder builder(long id, int gpus) {
        return new Builder(id, Demand.gpus(gpus));
    }

    /** Defaults for everything but id and size. */
    public static final class Builder {
        private final long id;
        private String name;
        private String user = "unknown";
        private String queue = "default";
        private JobClass jobClass = JobClass.BATCH;
        private Demand demand;
        private Profile profile = Profile.UNKNOWN;
        private Costs costs = Costs.NONE;
        private long declaredMillis;
        private long iterations;
        private long graceMillis = DEFAULT_GRACE_MILLIS;
        private long checkpointMillis;
        private RunFeatures features = RunFeatures.NONE;
        private int priority;
        private int maxPreemptions = UNLIMITED_PREEMPTIONS;
        private int maxOutOfMemory = DEFAULT_OUT_OF_MEMORY;
        private long limitMillis;
        private long minRuntimeMillis;
        private List<Dependency> dependencies = List.of();
        private JobArray array = JobArray.NONE;
        private Locality locality = Locality.DEFAULT;
        private ProfileFirst profileFirst = ProfileFirst.NONE;

        private Builder(long id, Demand demand) {
            this.id = id;
            this.name = "job-" + id;
            this.demand = demand;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder user(String value) {
            user = value;
            return this;
        }

        public Builder queue(String value) {
            queue = value;
            return this;
        }

        public Builder jobClass(JobClass value) {
            jobClass = value;
            return this;
        }

        public Builder demand(Demand value) {
            demand = value;
            return this;
        }

        public Builder profile(Profile value) {
            profile = value;
            return this;
        }

        public Builder costs(Costs value) {
            costs = value;
            return this;
        }

        public Builder declaredMillis(long value) {
            declaredMillis = value;
            return this;
        }

        public Builder iterations(long value) {
            iterations = value;
            return this;
        }

        public Builder graceMillis(long value) {
            graceMillis = value;
            return this;
        }

        public Builder checkpointMillis(long value) {
            checkpointMillis = value;
            return this;
        }

        public Builder features(RunFeatures value) {
            features = value;
            return this;
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        public Builder maxPreemptions(int value) {
            maxPreemptions = value;
            return this;
        }

        public Builder maxOutOfMemory(int value) {
            maxOutOfMemory = value;
            return this;
        }

        public Builder limitMillis(long value) {
            limitMillis = value;
            return this;
        }

        public Builder minRuntimeMillis(long value) {
            minRuntimeMillis = value;
            return this;
        }

        public Builder dependencies(List<Dependency> value) {
            dependencies = value;
            return this;
        }

        public Builder array(JobArray value) {
            array = value;
            return this;
        }

        public Builder locality(Locality value) {
            locality = value;
            return this;
        }

        public Builder profileFirst(ProfileFirst value) {
            profileFirst = value;
            return this;
        }

        public Job build() {
            return new Job(
                    id,
                    new Identity(name, user, queue, jobClass, priority),
                    demand,
                    profile,
                    costs,
                    new Timing(declaredMillis, iterations, checkpointMillis, features),
                    new Limits(graceMillis, minRuntimeMillis, maxPreemptions, maxOutOfMemory, limitMillis),
                    new Constraints(array, dependencies, locality, profileFirst));
        }
    }
}
