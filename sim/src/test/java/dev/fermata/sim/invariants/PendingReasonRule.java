package dev.fermata.sim.invariants;

import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;

/** Every pending job has a pending reason, with a code and with numbers that agree with it. */
final class PendingReasonRule {
    private PendingReasonRule() {}

    /** The rule that is broken, or null. */
    static String violation(long jobId, boolean reserved, long now, PendingReason pendingReason) {
        if (pendingReason == null || pendingReason.jobId() != jobId) {
            return "every pending job has a pending reason";
        }
        if (pendingReason instanceof PendingReason.GpuCounts counts
                && (counts.neededGpus() <= 0 || counts.availableGpus() < 0)) {
            return "a pending reason has numbers";
        }
        if (pendingReason.code() == ReasonCode.NOT_YET_CONSIDERED) {
            return "a pending reason has a code";
        }
        if ((pendingReason.code() == ReasonCode.PREEMPTION_PENDING) != reserved) {
            return "a reservation is the pending reason";
        }
        boolean agrees = switch (pendingReason.code()) {
            case RESOURCES, NO_NODES -> !enoughGpus(pendingReason);
            case FRAGMENTED, HOST_RESOURCES -> enoughGpus(pendingReason);
            case WAITING_FOR_LOCALITY ->
                enoughGpus(pendingReason) && ((PendingReason.WaitingForLocality) pendingReason).untilMillis() > now;
            case PRIORITY -> ((PendingReason.Priority) pendingReason).jobsAhead() > 0;
            case PROFILE_PENDING -> {
                PendingReason.ProfilePending profile = (PendingReason.ProfilePending) pendingReason;
                yield profile.profilingJob() != jobId && profile.untilMillis() > now;
            }
            case PREEMPTION_PENDING -> {
                PendingReason.PreemptionPending.VacatingJob last =
                        ((PendingReason.PreemptionPending) pendingReason).last();
                yield enoughGpus(pendingReason) ? last == null : last != null && last.killDeadlineMillis() >= now;
            }
            case MEMORY -> {
                PendingReason.Memory memory = (PendingReason.Memory) pendingReason;
                yield memory.neededMib() > 0 && memory.bestGpuFreeMib() >= 0;
            }
            case PREEMPTION_NOT_WORTH_IT -> {
                PendingReason.PreemptionNotWorthIt weighed = (PendingReason.PreemptionNotWorthIt) pendingReason;
                yield weighed.costMillis() > 0 && weighed.gainMillis() >= 0;
            }
            case DEPENDENCY -> ((PendingReason.DependencyPending) pendingReason).openDependencies() > 0;
            case ARRAY_LIMIT -> {
                PendingReason.ArrayLimit limit = (PendingReason.ArrayLimit) pendingReason;
                yield limit.maxRunning() > 0 && limit.jobsOnGpus() >= 0;
            }
            case UNSATISFIABLE,
                    HELD,
                    START_FAILED,
                    ENGINE_UNREACHABLE,
                    QUEUE_LIMIT,
                    QUEUE_SHARE,
                    RESERVATION,
                    NOT_YET_CONSIDERED -> true;
        };
        return agrees ? null : "numbers agree with the reason";
    }

    private static boolean enoughGpus(PendingReason pendingReason) {
        PendingReason.GpuCounts counts = (PendingReason.GpuCounts) pendingReason;
        return counts.availableGpus() >= counts.neededGpus();
    }

    /** Held back by an admission gate, which {@link AdmissionChecker} checks. */
    static boolean isGated(PendingReason pendingReason) {
        return switch (pendingReason.code()) {
            case HELD, NO_NODES, START_FAILED, DEPENDENCY, ARRAY_LIMIT, PROFILE_PENDING, QUEUE_LIMIT, QUEUE_SHARE ->
                true;
            default -> false;
        };
    }
}
