package dev.fermata.sim.kernel;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Job;
import dev.fermata.sim.workload.TrueJob;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How those ended who are waited for: the scheduler forgets who has ended, and somebody may come later who asks. */
final class Aftermath {
    private final Set<Long> named = new HashSet<>();
    private final Map<Long, JobState> ends = new HashMap<>();

    Aftermath(List<TrueJob> jobs) {
        for (TrueJob job : jobs) {
            for (After after : job.job().after()) {
                named.add(after.jobId());
            }
        }
    }

    void ended(long id, JobState state) {
        if (!named.isEmpty() && named.contains(id)) {
            ends.put(id, state);
        }
    }

    /** Whether one of those a job waits for has ended otherwise already. */
    boolean hopeless(Job job) {
        for (After after : job.after()) {
            JobState end = ends.get(after.jobId());
            if (end != null && !after.wanted().isMetBy(end == JobState.COMPLETED)) {
                return true;
            }
        }
        return false;
    }
}
