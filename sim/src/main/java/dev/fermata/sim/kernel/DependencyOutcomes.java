package dev.fermata.sim.kernel;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The final states of jobs that others depend on. The scheduler forgets ended jobs, but a dependent job may arrive
 * later.
 */
final class DependencyOutcomes {
    private final Set<Long> awaitedIds = new HashSet<>();
    private final Map<Long, JobState> finalStates = new HashMap<>();

    DependencyOutcomes(List<SimulatedJob> jobs) {
        for (SimulatedJob job : jobs) {
            for (Dependency dependency : job.job().dependencies()) {
                awaitedIds.add(dependency.jobId());
            }
        }
    }

    void recordEnd(long id, JobState state) {
        if (!awaitedIds.isEmpty() && awaitedIds.contains(id)) {
            finalStates.put(id, state);
        }
    }

    /** Whether a dependency of the job has already ended in another state than it requires. */
    boolean isUnsatisfiable(Job job) {
        for (Dependency dependency : job.dependencies()) {
            JobState end = finalStates.get(dependency.jobId());
            if (end != null && !dependency.condition().isMetBy(end == JobState.COMPLETED)) {
                return true;
            }
        }
        return false;
    }
}
