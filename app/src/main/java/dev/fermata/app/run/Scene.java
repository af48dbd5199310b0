package dev.fermata.app.run;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.Setting;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One setting with one seed and the runs to be made on it: its workload and lower bound are made once, by the first run
 * that needs them, and let go when the last one has them no longer. Safe to use from several threads.
 */
final class Scene {
    /** What every policy of the scene shares. */
    record Made(Workload workload, double lowerBoundMeanJctSeconds) {
        static Made of(Setting setting, long seed) {
            Workload workload = Complaint.ifInvalid(() -> setting.workload(seed));
            return new Made(
                    workload,
                    LowerBound.meanJctSeconds(workload, setting.cluster().topology()));
        }
    }

    private final List<Cell> cells;
    private int users;
    private @Nullable Made made;

    /** @param cells all of the same setting and seed, at least one */
    Scene(List<Cell> cells) {
        this.cells = List.copyOf(cells);
        this.users = cells.size();
    }

    List<Cell> cells() {
        return cells;
    }

    int expectedJobs() {
        return cells.get(0).expectedJobs();
    }

    synchronized Made use() {
        if (made == null) {
            made = Made.of(cells.get(0).setting(), cells.get(0).seed());
        }
        return made;
    }

    synchronized void release() {
        users--;
        if (users == 0) {
            made = null;
        }
    }
}
