package dev.fermata.sim.portrait;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a report draws of one run. A tree of plain records that can be written and read back, and of a size that does
 * not depend on how long the run was.
 *
 * @param jct completion times of completed jobs, seconds
 * @param waiting time in the queue of the same jobs, seconds
 * @param waits the waiting again, by size and by class
 * @param gantt what stood on some of the GPUs; null where nobody asked
 */
public record Portrait(
        Curve jct,
        Curve waiting,
        List<Group> waits,
        Series series,
        Preemptions preemptions,
        @Nullable Gantt gantt) {

    /** How much to keep of the GPUs' chart: rows at most, and stays at most; no chart with 0. */
    public record Detail(int ganttRows, int ganttStays) {
        public static final Detail WITHOUT_GANTT = new Detail(0, 0);
    }
}
