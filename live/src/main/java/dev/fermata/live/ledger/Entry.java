package dev.fermata.live.ledger;

import dev.fermata.core.measure.Declined;
import dev.fermata.core.measure.Preemption;
import dev.fermata.live.learn.Measured;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the ledger: a decision to pause jobs for another, or one that was declined.
 *
 * @param policy that decided, with its parameters; empty where the line is too old to say
 * @param victims the jobs that were paused, in the order of the decision's; none where it was declined
 * @param reloads what each of them showed when it came back; nothing where it told nothing
 */
public record Entry(
        long number,
        long atMillis,
        String policy,
        Outcome outcome,
        Party beneficiary,
        List<Party> victims,
        List<Measured> reloads,
        @Nullable Preemption preemption,
        @Nullable Declined declined) {
    /** What became of it. */
    public enum Outcome {
        /** It was done, and not all who were paused have ended. */
        OPEN,
        PAID,
        NOT_PAID,
        MOVED,
        /** It was weighed and not done. */
        DECLINED
    }

    /** A job, as far as the ledger tells of it. */
    public record Party(long job, String name, String user, String queue, int gpus) {}

    public Entry {
        victims = List.copyOf(victims);
        reloads = List.copyOf(reloads);
    }

    /** Whether it was paused, others were for it, or were not. */
    public boolean concerns(long job) {
        return anybody(party -> party.job() == job);
    }

    public boolean concerns(String user) {
        return anybody(party -> party.user().equals(user));
    }

    private boolean anybody(Predicate<Party> who) {
        return who.test(beneficiary) || victims.stream().anyMatch(who);
    }
}
