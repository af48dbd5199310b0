package dev.fermata.live.api.view;

import dev.fermata.core.contract.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What would come of a job if it were submitted now: feasibility, not a reservation. */
public record ProspectView(
        boolean feasible,
        boolean startsNow,
        List<Integer> gpus,
        List<Victim> pauses,
        double gainSeconds,
        double costSeconds,
        @Nullable Reason reason,
        String message,
        @Nullable StartView expectedStart) {
    /** A job that would be paused; its name is empty when it belongs to somebody else. */
    public record Victim(long job, String name, String user, int gpus) {}
}
