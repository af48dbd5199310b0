package dev.fermata.sim.laws;

import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;

/** What every verdict about a pending job must be: there, with a reason, and with numbers that agree with it. */
final class VerdictLaw {
    private VerdictLaw() {}

    /** The rule that is broken, or null. */
    static String broken(long jobId, boolean promised, long now, Verdict verdict) {
        if (verdict == null || verdict.jobId() != jobId) {
            return "everything pending has a verdict";
        }
        if (verdict.needed() <= 0 || verdict.available() < 0) {
            return "a verdict has numbers";
        }
        if (verdict.reason() == Reason.NOT_YET_CONSIDERED) {
            return "a verdict has a reason";
        }
        if ((verdict.reason() == Reason.PREEMPTION_PENDING) != promised) {
            return "a promise is the reason";
        }
        boolean agrees = switch (verdict.reason()) {
            case RESOURCES -> verdict.available() < verdict.needed();
            case FRAGMENTED, HOST_RESOURCES -> verdict.available() >= verdict.needed();
            case WAITING_FOR_LOCALITY -> verdict.available() >= verdict.needed() && verdict.untilMillis() > now;
            case PRIORITY -> verdict.ahead() > 0;
            case PROFILE_PENDING -> verdict.ahead() != jobId && verdict.untilMillis() > now;
            case PREEMPTION_PENDING ->
                verdict.available() < verdict.needed() ? verdict.untilMillis() >= now : verdict.untilMillis() < 0;
            default -> true;
        };
        return agrees ? null : "numbers agree with the reason";
    }

    /** Kept back by something that the witness of gates looks after. */
    static boolean gated(Verdict verdict) {
        return switch (verdict.reason()) {
            case HELD, DEPENDENCY, ARRAY_LIMIT, PROFILE_PENDING, QUEUE_LIMIT, QUEUE_SHARE -> true;
            default -> false;
        };
    }
}
