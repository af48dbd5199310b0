package dev.fermata.core.contract;

/**
 * Why a pending job waits: one reason, with numbers. What the numbers are depends on the reason: {@code needed} and
 * {@code available} are GPUs (MiB for {@link Reason#MEMORY}, milliseconds of cost and gain for
 * {@link Reason#PREEMPTION_NOT_WORTH_IT}, where {@code ahead} says how many would be paused), {@code ahead} counts jobs or
 * names the one in the way,
 * {@code untilMillis} is when the reason is expected to end, or -1.
 */
public record Verdict(long jobId, Reason reason, long needed, long available, long ahead, long untilMillis) {

    public static Verdict of(long jobId, Reason reason, long needed, long available) {
        return new Verdict(jobId, reason, needed, available, 0, -1);
    }

    public String message() {
        return switch (reason) {
            case UNSATISFIABLE -> "needs " + needed + " GPUs; this cluster can offer at most " + available;
            case HELD -> "is on hold";
            case DEPENDENCY ->
                "waits for " + needed + (needed == 1 ? " job" : " jobs") + " to end, job " + ahead + " first";
            case ARRAY_LIMIT -> available + " jobs of its array are on GPUs, and at most " + needed + " may be at once";
            case PROFILE_PENDING ->
                "waits for the profile of its kind, which job " + ahead + " takes, until " + untilMillis / 1000
                        + " s at most";
            case QUEUE_LIMIT -> "needs " + needed + " GPUs; its queue may use " + available + " more";
            case QUEUE_SHARE -> "needs " + needed + " GPUs; the share of its queue has room for " + available;
            case PREEMPTION_PENDING ->
                available + " of its " + needed + " GPUs are free, the rest are being vacated"
                        + (untilMillis < 0 ? "" : ", by job " + ahead + " before " + untilMillis / 1000 + " s");
            case PRIORITY -> "needs " + needed + " GPUs, " + available + " are free, " + ahead + " jobs go first";
            case RESOURCES -> "needs " + needed + " GPUs, " + available + " are free";
            case FRAGMENTED -> "needs " + needed + " GPUs together; " + available + " are free in all";
            case WAITING_FOR_LOCALITY ->
                "needs " + needed + " GPUs; " + available + " are free but farther apart than it accepts before "
                        + untilMillis / 1000 + " s";
            case HOST_RESOURCES -> "needs " + needed + " GPUs; " + available + " are free but lack CPU or RAM";
            case MEMORY -> "needs " + needed + " MiB per GPU; the best GPU has " + available + " MiB left";
            case RESERVATION -> "needs " + needed + " GPUs; starting now would delay job " + ahead;
            case PREEMPTION_NOT_WORTH_IT ->
                "pausing others for it would cost " + needed / 1000 + " s of completion time and gain only "
                        + available / 1000 + " s";
            case NOT_YET_CONSIDERED -> "waits for the next decision";
        };
    }
}
