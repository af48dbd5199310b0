package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The running batch jobs, by GPU type, with the GPUs that could be had from them on each node. */
public final class VictimCandidates {
    private final Topology topology;
    private final int budget;
    private final List<Map<Long, VictimCandidate>> byType = new ArrayList<>();
    private final long[] onType;
    private final int[] onNode;
    /** Jobs that become possible victims by running on, the first to do so first; some have left since. */
    private final PriorityQueue<NotYetPreemptible> notYetPreemptible = new PriorityQueue<>();

    private long arrivals;

    private record NotYetPreemptible(long untilMillis, JobView job, int attempt)
            implements Comparable<NotYetPreemptible> {
        @Override
        public int compareTo(NotYetPreemptible other) {
            int byTime = Long.compare(untilMillis, other.untilMillis);
            return byTime != 0 ? byTime : Long.compare(job.id(), other.job.id());
        }

        boolean over() {
            return job.state() != JobState.RUNNING || job.attempt() != attempt;
        }
    }

    VictimCandidates(Topology topology, int budget) {
        this.topology = topology;
        this.budget = budget;
        for (int t = 0; t < topology.types().size(); t++) {
            byType.add(new LinkedHashMap<>());
        }
        onType = new long[topology.types().size()];
        onNode = new int[topology.nodes().size()];
    }

    /** Applies what changed since the last decision, and adds jobs that have run for long enough by now. */
    void update(View view) {
        for (JobView job : view.changedJobs()) {
            updateJob(job, view.nowMillis());
        }
        for (NotYetPreemptible next = notYetPreemptible.peek();
                next != null && (next.over() || next.untilMillis <= view.nowMillis());
                next = notYetPreemptible.peek()) {
            notYetPreemptible.remove();
            updateJob(next.job, view.nowMillis());
        }
    }

    /** When the next of them becomes a possible victim, or never. */
    long nextMillis() {
        NotYetPreemptible next = notYetPreemptible.peek();
        return next == null ? Plan.NEVER : next.untilMillis;
    }

    /** It runs here, or no longer, or may be preempted from now on. */
    private void updateJob(JobView job, long nowMillis) {
        Allocation held = job.allocation();
        boolean runs = job.state() == JobState.RUNNING && job.job().jobClass() == JobClass.BATCH;
        VictimCandidate known = find(job.id());
        if (known != null && !runs) {
            remove(known);
        }
        if (!runs || held == null || (known != null && known.isCurrent(budget, nowMillis))) {
            return;
        }
        if (known != null) {
            count(known, -1);
        }
        VictimCandidate arrived = VictimCandidate.of(job, held, topology, budget, nowMillis);
        byType.get(arrived.type()).put(job.id(), arrived); // in its old place, if it had one
        count(arrived, 1);
        arrivals += arrived.preemptible() ? 1 : 0;
        if (arrived.preemptibleFromMillis() > nowMillis) {
            notYetPreemptible.add(new NotYetPreemptible(arrived.preemptibleFromMillis(), job, job.attempt()));
        }
    }

    void remove(VictimCandidate runningJob) {
        if (byType.get(runningJob.type()).remove(runningJob.id()) != null) {
            count(runningJob, -1);
        }
    }

    private @Nullable VictimCandidate find(long id) {
        VictimCandidate found = null;
        for (int t = 0; t < byType.size() && found == null; t++) {
            found = byType.get(t).get(id);
        }
        return found;
    }

    private void count(VictimCandidate runningJob, int sign) {
        if (runningJob.preemptible()) {
            Allocation held = runningJob.held();
            onType[runningJob.type()] += (long) sign * held.size();
            for (int k = 0; k < held.nodeCount(); k++) {
                onNode[held.node(k)] += sign * held.gpusOn(k);
            }
        }
    }

    /** Grows whenever a new possible victim appeared. */
    long arrivals() {
        return arrivals;
    }

    /** Candidates on GPUs of this type. */
    Iterable<VictimCandidate> onGpuType(int type) {
        return Collections.unmodifiableCollection(byType.get(type).values());
    }

    /** GPUs of this type held by possible victims. */
    long gpusOnType(int type) {
        return onType[type];
    }

    int gpusOnNode(int node) {
        return onNode[node];
    }

    /** The largest {@link VictimCandidate#size} among all running batch jobs; 0 when there is none. */
    double largest() {
        double max = 0;
        for (Map<Long, VictimCandidate> some : byType) {
            for (VictimCandidate runningJob : some.values()) {
                max = Math.max(max, runningJob.size());
            }
        }
        return max;
    }

    /** The longest time that any of them needs to leave. */
    long longest(ToLongFunction<JobView> vacating) {
        long max = 0;
        for (Map<Long, VictimCandidate> some : byType) {
            for (VictimCandidate runningJob : some.values()) {
                max = Math.max(max, vacating.applyAsLong(runningJob.job()));
            }
        }
        return max;
    }
}
