package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Topology;

/** How many GPUs of each type jobs hold, derived from changes. Together with the free ones: all that are healthy. */
final class HeldGpus {
    private final LongMap<Allocation> held = new LongMap<>();
    private final int[] byType;

    HeldGpus(Topology topology) {
        byType = new int[topology.types().size()];
    }

    void update(View view) {
        for (JobView job : view.changedJobs()) {
            Allocation before = held.get(job.id());
            if (before != null) {
                held.remove(job.id());
                count(view.topology(), before, -1);
            }
            Allocation now = job.allocation();
            if (now != null && job.state().holdsGpus()) {
                held.put(job.id(), now);
                count(view.topology(), now, 1);
            }
        }
    }

    int ofType(int type) {
        return byType[type];
    }

    private void count(Topology topology, Allocation allocation, int sign) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            byType[topology.node(allocation.node(k)).type()] += sign * allocation.gpusOn(k);
        }
    }
}
