package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.List;
import java.util.Set;

/** Chooses the victims of a preemption. It never changes the view but its draft. */
public interface PreemptionRule {
    /**
     * Which jobs to preempt so that this waiting job can start. A {@link Feasible} answer is also applied to the draft; any
     * other answer leaves the draft as it was. Exempt jobs are never victims.
     */
    PreemptionAnswer findVictims(
            View view, RankedJobs rankedJobs, RankedJob waiting, Placement placement, Set<RankedJob> exempt);

    /** The result of a search for room. */
    sealed interface PreemptionAnswer {}

    /** The action, and the entries of its victims. */
    record Feasible(Action.Preempt action, List<RankedJob> victims) implements PreemptionAnswer {}

    /** This many victims would free enough GPUs, but that costs more job-milliseconds of completion time than it gains. */
    record NotWorthIt(int victims, long gainMillis, long costMillis) implements PreemptionAnswer {}

    /** No possible victims would free enough. */
    record NoVictims() implements PreemptionAnswer {}

    PreemptionAnswer NO_VICTIMS = new NoVictims();
}
