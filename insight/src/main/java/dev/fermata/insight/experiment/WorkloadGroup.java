package dev.fermata.insight.experiment;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One setting with one seed and the runs to be made on it. Its workload and lower bound are made once, by the first run
 * that needs them, and released after the last. Safe to use from several threads.
 */
final class WorkloadGroup {
    /** What every policy of the group shares. */
    record PreparedWorkload(Workload workload, double lowerBoundMeanJctSeconds) {
        static PreparedWorkload of(ExperimentSetting setting, long seed) {
            Workload workload = UserError.wrapInvalid(() -> setting.workload(seed));
            return new PreparedWorkload(workload, setting.lowerBoundMeanJctSeconds(workload, seed));
        }
    }

    private final List<MatrixCell> cells;
    private int users;
    private @Nullable PreparedWorkload prepared;

    /** @param cells all of the same setting and seed, at least one */
    WorkloadGroup(List<MatrixCell> cells) {
        this.cells = List.copyOf(cells);
        this.users = cells.size();
    }

    List<MatrixCell> cells() {
        return cells;
    }

    int expectedJobs() {
        return cells.get(0).expectedJobs();
    }

    synchronized PreparedWorkload acquire() {
        if (prepared == null) {
            prepared = PreparedWorkload.of(cells.get(0).setting(), cells.get(0).seed());
        }
        return prepared;
    }

    synchronized void release() {
        users--;
        if (users == 0) {
            prepared = null;
        }
    }
}
