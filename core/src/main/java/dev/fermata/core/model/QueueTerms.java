package dev.fermata.core.model;

import java.util.List;

/** What an operator allows the users of one queue. */
public record QueueTerms(Submitters submitters, PerUser perUser, Ceilings ceilings, Trials trials) {
    public static final int NO_LIMIT = QueueRule.NO_LIMIT;
    public static final QueueTerms NONE =
            new QueueTerms(Submitters.ALL, PerUser.UNLIMITED, Ceilings.DEFAULT, Trials.UNLIMITED);

    /** Whether the groups of users matter. */
    public boolean namesGroups() {
        return !submitters.groups.isEmpty() || !trials.submitters.groups.isEmpty();
    }

    /** Who may submit: these users and the members of these groups of the machine; everybody when both are empty. */
    public record Submitters(List<String> users, List<String> groups) {
        public static final Submitters ALL = new Submitters(List.of(), List.of());

        public Submitters {
            users = List.copyOf(users);
            groups = List.copyOf(groups);
        }

        /** @param memberOf the groups of the user */
        public boolean allow(String user, List<String> memberOf) {
            return (users.isEmpty() && groups.isEmpty())
                    || users.contains(user)
                    || memberOf.stream().anyMatch(groups::contains);
        }
    }

    /**
     * Limits of each user in the queue and those below.
     *
     * @param gpus that the jobs of a user hold or have reserved at once
     * @param jobs live jobs of a user
     * @param fair whether the users with jobs in the queue itself have equal shares of it
     */
    public record PerUser(int gpus, int jobs, boolean fair) {
        public static final PerUser UNLIMITED = new PerUser(NO_LIMIT, NO_LIMIT, false);

        public PerUser {
            Require.that(gpus > 0, "GPUs of each user (%s) must be positive", gpus);
            Require.that(jobs > 0, "jobs of each user (%s) must be positive", jobs);
        }
    }

    /**
     * The most that a job may ask for: without a bound it could keep GPUs that are guaranteed to others.
     *
     * @param graceMillis of the grace
     * @param minRuntimeMillis of the minimum run time
     */
    public record Ceilings(long graceMillis, long minRuntimeMillis) {
        public static final Ceilings DEFAULT = new Ceilings(3_600_000, 3_600_000);

        public Ceilings {
            Require.that(graceMillis > 0, "maximum of grace (%s ms) must be positive", graceMillis);
            Require.that(
                    minRuntimeMillis >= 0,
                    "maximum of minimum run time (%s ms) must not be negative",
                    minRuntimeMillis);
        }
    }

    /**
     * The right to jobs of class trial. A trial that runs longer than its declared time, or than {@code millis}, becomes a batch
     * job.
     *
     * @param gpus of one trial; 0 for no trials
     * @param millis that a trial may run
     * @param totalGpus that all trials of the queue and those below hold or have reserved at once
     */
    public record Trials(Submitters submitters, int gpus, long millis, int totalGpus) {
        public static final long NO_TIME_LIMIT = Long.MAX_VALUE;
        public static final Trials UNLIMITED = new Trials(Submitters.ALL, NO_LIMIT, NO_TIME_LIMIT, NO_LIMIT);
        public static final Trials NONE = new Trials(Submitters.ALL, 0, NO_TIME_LIMIT, NO_LIMIT);

        public Trials {
            Require.that(gpus >= 0, "GPUs of a trial (%s) must not be negative", gpus);
            Require.that(millis > 0, "run time of a trial (%s ms) must be positive", millis);
            Require.that(totalGpus > 0, "GPUs of all trials (%s) must be positive", totalGpus);
        }
    }
}
