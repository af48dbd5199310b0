package dev.fermata.core.model;

import java.util.List;
import java.util.Objects;

/**
 * What a user submits. It holds what is declared or profiled, never how long the job will really run: only the engine
 * finds that out.
 *
 * @param declaredMillis the user's own estimate of the whole run time, 0 when none was given
 * @param iterations declared number of iterations, 0 when unknown
 * @param checkpointMillis the job saves by itself this often; 0 means only when it is paused
 * @param maxPreemptions how often it may be paused for others in its life
 * @param maxOutOfMemory how often it may run out of memory and be tried again; once more and it is given up
 * @param limitMillis it is stopped for good after running this long over all attempts; 0 means never
 * @param minRuntimeMillis an attempt that has not run this long yet is nobody's victim
 * @param after jobs it waits for; those that ended before it was submitted are not named here
 * @param bundle the job array it is part of, or {@link Bundle#NONE}
 * @param locality how much it cares for GPUs near each other; a history from before there was such a thing has none
 * @param trial whether its kind is yet to be seen; likewise
 */
public record Job(
        long id,
        String name,
        String user,
        String queue,
        JobClass jobClass,
        Demand demand,
        Profile profile,
        Costs costs,
        long declaredMillis,
        long iterations,
        long graceMillis,
        long checkpointMillis,
        int priority,
        int maxPreemptions,
        int maxOutOfMemory,
        long limitMillis,
        long minRuntimeMillis,
        List<After> after,
        Bundle bundle,
        Locality locality,
        Trial trial) {
    public static final long DEFAULT_GRACE_MILLIS = 120_000;
    private static final int MAX_PRIORITY = 100_000;
    /** Where memory is promised blindly a job may be unlucky many times. */
    private static final int DEFAULT_OUT_OF_MEMORY = 20;

    public static final int UNLIMITED_PREEMPTIONS = Integer.MAX_VALUE;

    public Job {
        Require.that(id >= 0, "job id (%s) must not be negative", id);
        Require.that(
                declaredMillis >= 0, "declared time (%s ms) of job (%s) must not be negative", declaredMillis, name);
        Require.that(graceMillis >= 0, "grace (%s ms) of job (%s) must not be negative", graceMillis, name);
        Require.that(checkpointMillis >= 0, "checkpoint interval of job (%s) must not be negative", name);
        Require.that(Math.abs(priority) <= MAX_PRIORITY, "priority (%s) of job (%s) is too far from 0", priority, name);
        Require.that(
                maxPreemptions >= 0, "max preemptions (%s) of job (%s) must not be negative", maxPreemptions, name);
        Require.that(
                maxOutOfMemory >= 0, "max out-of-memory (%s) of job (%s) must not be negative", maxOutOfMemory, name);
        Require.that(limitMillis >= 0, "time limit (%s ms) of job (%s) must not be negative", limitMillis, name);
        Require.that(minRuntimeMillis >= 0, "minimum run time of job (%s) must not be negative", name);
        after = List.copyOf(after);
        locality = Objects.requireNonNullElse(locality, Locality.ANY);
        trial = Objects.requireNonNullElse(trial, Trial.NONE);
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

    /** A builder that begins with everything this job says, for the same job or another id. */
    public Builder toBuilder(long newId) {
        return new Builder(newId, demand)
                .name(name)
                .user(user)
                .queue(queue)
                .jobClass(jobClass)
                .profile(profile)
                .costs(costs)
                .declaredMillis(declaredMillis)
                .iterations(iterations)
                .graceMillis(graceMillis)
                .checkpointMillis(checkpointMillis)
                .priority(priority)
                .maxPreemptions(maxPreemptions)
                .maxOutOfMemory(maxOutOfMemory)
                .limitMillis(limitMillis)
                .minRuntimeMillis(minRuntimeMillis)
                .after(after)
                .bundle(bundle)
                .locality(locality)
                .trial(trial);
    }

    public static Builder builder(long id, int gpus) {
        return new Builder(id, Demand.gpus(gpus));
    }

    /** Defaults for everything but id and size. */
    public static final class Builder {
        private final long id;
        private String name;
        private String user = "nobody";
        private String queue = "default";
        private JobClass jobClass = JobClass.BATCH;
        private Demand demand;
        private Profile profile = Profile.UNKNOWN;
        private Costs costs = Costs.NONE;
        private long declaredMillis;
        private long iterations;
        private long graceMillis = DEFAULT_GRACE_MILLIS;
        private long checkpointMillis;
        private int priority;
        private int maxPreemptions = UNLIMITED_PREEMPTIONS;
        private int maxOutOfMemory = DEFAULT_OUT_OF_MEMORY;
        private long limitMillis;
        private long minRuntimeMillis;
        private List<After> after = List.of();
        private Bundle bundle = Bundle.NONE;
        private Locality locality = Locality.ANY;
        private Trial trial = Trial.NONE;

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

        public Builder after(List<After> value) {
            after = value;
            return this;
        }

        public Builder bundle(Bundle value) {
            bundle = value;
            return this;
        }

        public Builder locality(Locality value) {
            locality = value;
            return this;
        }

        public Builder trial(Trial value) {
            trial = value;
            return this;
        }

        public Job build() {
            return new Job(
                    id,
                    name,
                    user,
                    queue,
                    jobClass,
                    demand,
                    profile,
                    costs,
                    declaredMillis,
                    iterations,
                    graceMillis,
                    checkpointMillis,
                    priority,
                    maxPreemptions,
                    maxOutOfMemory,
                    limitMillis,
                    minRuntimeMillis,
                    after,
                    bundle,
                    locality,
                    trial);
        }
    }
}
