package dev.fermata.sim.engine;

import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The jobs of the engine by id, and where they are. What it lists is sorted by id. */
final class JobExecutions {
    private final LongMap<JobExecution> byId = new LongMap<>();

    void put(JobExecution execution) {
        byId.put(execution.job.job().id(), execution);
    }

    void remove(long jobId) {
        byId.remove(jobId);
    }

    @Nullable
    JobExecution get(long jobId) {
        return byId.get(jobId);
    }

    /** The attempts that hold one of these GPUs. */
    List<SimulatedAttempt> attemptsOn(IntPredicate gpus) {
        List<SimulatedAttempt> found = new ArrayList<>();
        byId.forEach(execution -> {
            SimulatedAttempt run = execution.run;
            for (int i = 0; run != null && i < run.allocation.size(); i++) {
                if (gpus.test(run.allocation.gpu(i))) {
                    found.add(run);
                    break;
                }
            }
        });
        found.sort(Comparator.comparingLong(run -> run.job.job().id()));
        return found;
    }

    /** The jobs with suspended processes on a node. */
    List<JobExecution> suspendedOn(int node) {
        List<JobExecution> found = new ArrayList<>();
        byId.forEach(execution -> {
            if (execution.suspendedOn != null && execution.suspendedOn.gpusOnNode(node) > 0) {
                found.add(execution);
            }
        });
        found.sort(Comparator.comparingLong(execution -> execution.job.job().id()));
        return found;
    }

    BitSet gpusInUse() {
        BitSet used = new BitSet();
        byId.forEach(execution -> {
            SimulatedAttempt run = execution.run;
            for (int i = 0; run != null && i < run.allocation.size(); i++) {
                used.set(run.allocation.gpu(i));
            }
        });
        return used;
    }
}
