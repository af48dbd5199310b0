package dev.fermata.live.preemptions;

import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import java.util.Set;

/**
 * A selection of preemption log entries.
 *
 * @param untilMillis decisions before this time
 * @param user involves a job of this user; empty for all
 * @param alsoUser also involves a job of this user, which restricts users to entries of their own jobs; empty for all
 * @param job involves this job; -1 for all
 * @param policy decided by this policy, by name or by name with parameters; empty for all
 * @param outcomes empty for all
 */
public record PreemptionLogQuery(
        long sinceMillis,
        long untilMillis,
        String user,
        String alsoUser,
        long job,
        String policy,
        Set<DecisionOutcome> outcomes) {
    public static final PreemptionLogQuery ALL = new PreemptionLogQuery(0, Long.MAX_VALUE, "", "", -1, "", Set.of());

    public PreemptionLogQuery {
        outcomes = Set.copyOf(outcomes);
    }

    public static PreemptionLogQuery ofJob(long job) {
        return new PreemptionLogQuery(0, Long.MAX_VALUE, "", "", job, "", Set.of());
    }

    boolean matches(PreemptionLogEntry entry) {
        return entry.atMillis() >= sinceMillis
                && entry.atMillis() < untilMillis
                && (job < 0 || entry.involves(job))
                && (user.isEmpty() || entry.involves(user))
                && (alsoUser.isEmpty() || entry.involves(alsoUser))
                && (policy.isEmpty()
                        || entry.policy().equals(policy)
                        || nameOf(entry.policy()).equals(policy))
                && (outcomes.isEmpty() || outcomes.contains(entry.outcome()));
    }

    private static String nameOf(String policy) {
        int parameters = policy.indexOf(':');
        return parameters < 0 ? policy : policy.substring(0, parameters);
    }
}
