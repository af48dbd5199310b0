package dev.fermata.live.conductor;

import dev.fermata.core.contract.Reason;
import dev.fermata.live.foresee.ExpectedStart;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would come of a job if it were submitted now: feasibility, not a reservation.
 *
 * @param gpus where it would start, empty when it would not start now
 * @param startsNow on free GPUs, at once
 * @param pauses whom it would pause first
 * @param reason why it would wait; null when it would not
 * @param start when it would start; null where nobody can tell
 */
public record Prospect(
        boolean feasible,
        boolean startsNow,
        List<Integer> gpus,
        List<Victim> pauses,
        long gainMillis,
        long costMillis,
        @Nullable Reason reason,
        String message,
        @Nullable ExpectedStart start) {
    /** A job that would be paused. */
    public record Victim(long job, String name, String user, int gpus) {}
}
