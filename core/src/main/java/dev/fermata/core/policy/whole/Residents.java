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
public final class Residents {
    private final Topology topology;
    private final int budget;
    private final List<Map<Long, Resident>> byType = new ArrayList<>();
    private final long[] onType;
    private final int[] onNode;
    /** Those who become possible victims by running on, the first to do so first; some have left since. */
    private final PriorityQueue<Unsettled> unsettled = new PriorityQueue<>();

    private long arrivals;

    private record Unsettled(long untilMillis, JobView job, int attempt) implements Comparable<Unsettled> {
        @Override
        public int compareTo(Unsettled other) {
            int byTime = Long.compare(untilMillis, other.untilMillis);
            return byTime != 0 ? byTime : Long.compare(job.id(), other.job.id());
        }

        boolean over() {
            return job.state() != JobState.RUNNING || job.attempt() != attempt;
        }
    }

    Residents(Topology topology, int budget) {
        this.topology = topology;
        this.budget = budget;
        for (int t = 0; t < topology.types().size(); t++) {
            byType.add(new LinkedHashMap<>());
        }
        onType = new long[topology.types().size()];
        onNode = new int[topology.nodes().size()];
    }

    /** Takes in what changed since the last decision, and who has run for long enough by now. */
    void update(View view) {
        for (JobView job : view.changed()) {
            note(job, view.nowMillis());
        }
        for (Unsettled next = unsettled.peek();
                next != null && (next.over() || next.untilMillis <= view.nowMillis());
                next = unsettled.peek()) {
            unsettled.remove();
            note(next.job, view.nowMillis());
        }
    }

    /** When the next of them becomes a possible victim, or never. */
    long nextMillis() {
        Unsettled next = unsettled.peek();
        return next == null ? Plan.NEVER : next.untilMillis;
    }

    /** It runs here, or no longer, or may be asked to leave from now on. */
    private void note(JobView job, long nowMillis) {
        Allocation held = job.allocation();
        boolean runs = job.state() == JobState.RUNNING && job.job().jobClass() == JobClass.BATCH;
        Resident known = find(job.id());
        if (known != null && !runs) {
            remove(known);
        }
        if (!runs || held == null || (known != null && known.holds(budget, nowMillis))) {
            return;
        }
        if (known != null) {
            count(known, -1);
        }
        Resident arrived = Resident.of(job, held, topology, budget, nowMillis);
        byType.get(arrived.type()).put(job.id(), arrived); // in his old place, if he had one
        count(arrived, 1);
        arrivals += arrived.mayLeave() ? 1 : 0;
        if (arrived.settlesMillis() > nowMillis) {
            unsettled.add(new Unsettled(arrived.settlesMillis(), job, job.attempt()));
        }
    }

    void remove(Resident resident) {
        if (byType.get(resident.type()).remove(resident.id()) != null) {
            count(resident, -1);
        }
    }

    private @Nullable Resident find(long id) {
        Resident found = null;
        for (int t = 0; t < byType.size() && found == null; t++) {
            found = byType.get(t).get(id);
        }
        return found;
    }

    private void count(Resident resident, int sign) {
        if (resident.mayLeave()) {
            Allocation held = resident.held();
            onType[resident.type()] += (long) sign * held.size();
            for (int k = 0; k < held.nodeCount(); k++) {
                onNode[held.node(k)] += sign * held.gpusOn(k);
            }
        }
    }

    /** Grows whenever somebody came who could be asked to leave. */
    long arrivals() {
        return arrivals;
    }

    /** Those on GPUs of this type. */
    Iterable<Resident> on(int type) {
        return Collections.unmodifiableCollection(byType.get(type).values());
    }

    /** GPUs of this type held by those who may be asked to leave. */
    long gpusOnType(int type) {
        return onType[type];
    }

    int gpusOnNode(int node) {
        return onNode[node];
    }

    /** The largest {@link Resident#size} among all running batch jobs; 0 when there is none. */
    double largest() {
        double most = 0;
        for (Map<Long, Resident> some : byType) {
            for (Resident resident : some.values()) {
                most = Math.max(most, resident.size());
            }
        }
        return most;
    }

    /** The longest time that any of them needs to leave. */
    long longest(ToLongFunction<JobView> leaving) {
        long most = 0;
        for (Map<Long, Resident> some : byType) {
            for (Resident resident : some.values()) {
                most = Math.max(most, leaving.applyAsLong(resident.job()));
            }
        }
        return most;
    }
}
