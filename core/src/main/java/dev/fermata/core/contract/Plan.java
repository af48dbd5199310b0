package dev.fermata.core.contract;

import java.util.List;

/**
 * A policy's answer to a view.
 *
 * @param declined preemptions that were possible and not worth it
 * @param pendingReasons why the jobs it looked at wait
 * @param reconsiderAtMillis when it is to decide again even without events; {@link #NEVER} for only on events
 */
public record Plan(
        List<Action> actions, List<Declined> declined, List<PendingReason> pendingReasons, long reconsiderAtMillis) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final Plan EMPTY = new Plan(List.of(), List.of(), NEVER);

    /** A preemption of this many victims for a pending job, which the policy weighed and declined. */
    public record Declined(long jobId, int victims, long gainMillis, long costMillis) {}

    /** A plan without declined preemptions. */
    public Plan(List<Action> actions, List<PendingReason> pendingReasons, long reconsiderAtMillis) {
        this(actions, List.of(), pendingReasons, reconsiderAtMillis);
    }
}
