package dev.fermata.live.preemptions;

import dev.fermata.core.measure.DeclinedPreemption;
import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the preemption log: a decision to preempt jobs for another one, or a declined preemption.
 *
 * @param policy the policy that decided, with its parameters; empty if the history entry is too old to name it
 * @param preempted the preempted jobs in the order of the decision; none for a declined preemption
 */
public record PreemptionLogEntry(
        long number,
        long atMillis,
        String policy,
        DecisionOutcome outcome,
        InvolvedJob beneficiary,
        List<PreemptedJob> preempted,
        @Nullable PreemptionResult preemption,
        @Nullable DeclinedPreemption declined) {
    /** Outcome of a decision. */
    public enum DecisionOutcome {
        /** Carried out, and not all victims have ended. */
        OPEN,
        PAID,
        NOT_PAID,
        MOVED,
        /** Not carried out. */
        DECLINED
    }

    /** A job that a decision involves. */
    public record InvolvedJob(long job, String name, String user, String queue, int gpus) {}

    /**
     * A preempted job.
     *
     * @param reload the measurements of its next attempt; {@link AttemptMeasurements#NONE} without any
     */
    public record PreemptedJob(InvolvedJob job, AttemptMeasurements reload) {}

    public PreemptionLogEntry {
        preempted = List.copyOf(preempted);
    }

    public List<InvolvedJob> victims() {
        return preempted.stream().map(PreemptedJob::job).toList();
    }

    public List<AttemptMeasurements> reloads() {
        return preempted.stream().map(PreemptedJob::reload).toList();
    }

    /** Whether this job is a victim or the beneficiary. */
    public boolean involves(long job) {
        return anyJob(involved -> involved.job() == job);
    }

    public boolean involves(String user) {
        return anyJob(involved -> involved.user().equals(user));
    }

    private boolean anyJob(Predicate<InvolvedJob> condition) {
        return condition.test(beneficiary)
                || preempted.stream().map(PreemptedJob::job).anyMatch(condition);
    }
}
