package dev.fermata.live.ledger;

import dev.fermata.live.ledger.Entry.Outcome;
import java.util.Set;

/**
 * Which entries.
 *
 * @param untilMillis before this time
 * @param user one of whose jobs is concerned; empty for all
 * @param about another user of whom the same must hold, which is how users see no more than concerns them; empty for all
 * @param job that is concerned; -1 for all
 * @param policy that decided: its name, or its name with parameters; empty for all
 * @param outcomes empty for all
 */
public record EntryQuery(
        long sinceMillis, long untilMillis, String user, String about, long job, String policy, Set<Outcome> outcomes) {
    public static final EntryQuery ALL = new EntryQuery(0, Long.MAX_VALUE, "", "", -1, "", Set.of());

    public EntryQuery {
        outcomes = Set.copyOf(outcomes);
    }

    public static EntryQuery ofJob(long job) {
        return new EntryQuery(0, Long.MAX_VALUE, "", "", job, "", Set.of());
    }

    boolean takes(Entry entry) {
        return entry.atMillis() >= sinceMillis
                && entry.atMillis() < untilMillis
                && (job < 0 || entry.concerns(job))
                && (user.isEmpty() || entry.concerns(user))
                && (about.isEmpty() || entry.concerns(about))
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
