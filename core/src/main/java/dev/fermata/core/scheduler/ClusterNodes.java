package dev.fermata.core.scheduler;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the cluster state: which ones there are, and what keeps attempts from them. Part of {@link ClusterState}: it
 * writes the records of its changes there, and releases the reservations that can no longer be used.
 *
 * <p><b>Slots.</b> A new node gets the next slot, or that of a node that left, has the same form and holds nothing. So a cluster whose
 * nodes come and go does not grow for ever, and indexes of policies stay as they are. Only when numbers or what they mean for a
 * policy change (more slots, another type or rack) the policy is renewed ({@link #takeRenumbered}), as after a restart.
 */
final class ClusterNodes {
    private final ClusterState cluster;
    /** The slots of nodes that have left, null while they are not known. */
    private @Nullable BitSet absent;

    private boolean renumbered;

    ClusterNodes(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** Whether, since the last call, the cluster got other numbers than those that policies have seen. */
    boolean takeRenumbered() {
        boolean was = renumbered;
        renumbered = false;
        return was;
    }

    // ---- which nodes there are ----

    void add(NodeSpec spec) {
        add(slotFor(spec), spec);
    }

    void add(int slot, NodeSpec spec) {
        if (slot < cluster.topology.nodes().size()) {
            cluster.capacity.clearConditions(slot);
            cluster.startFailures.forget(slot);
        }
        set(slot, spec);
        cluster.records.add(new HistoryRecord.NodeAdded(slot, spec, cluster.capacity.gpusUp()));
    }

    /** The slot of a node that left and has the same form, if it holds nothing and waits for nothing; else the next one. */
    private int slotFor(NodeSpec spec) {
        Topology topology = cluster.topology;
        BitSet slots = absentSlots();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Node node = topology.node(slot);
            if (node.gpus() == spec.gpus()
                    && topology.types()
                            .get(node.type())
                            .name()
                            .equals(spec.type().name())
                    && topology.racks().get(node.rack()).name().equals(spec.rack())
                    && holdsNothing(node)) {
                return slot;
            }
        }
        return topology.nodes().size();
    }

    private BitSet absentSlots() {
        if (absent == null) {
            absent = new BitSet();
            for (Node node : cluster.topology.nodes()) {
                absent.set(node.index(), node.presentGpus() == 0);
            }
        }
        return absent;
    }

    private boolean holdsNothing(Node node) {
        return !cluster.suspended.areOn(node.index())
                && IntStream.range(node.firstGpu(), node.endGpu())
                        .allMatch(
                                gpu -> cluster.gpuUse.jobsOn(gpu).isEmpty() && cluster.gpuUse.beneficiary(gpu) == null);
    }

    void remove(int slot) {
        set(slot, NodeSpec.of(cluster.topology, slot).removed());
        cluster.records.add(new HistoryRecord.NodeRemoved(slot, cluster.capacity.gpusUp()));
        releaseReservationsOn(slot);
    }

    /** Changes nothing where the node is described so already. */
    void change(int slot, NodeSpec spec) {
        if (set(slot, spec)) {
            cluster.records.add(new HistoryRecord.NodeChanged(slot, spec, cluster.capacity.gpusUp()));
            releaseReservationsOnMissing(slot);
        }
    }

    /** All at once, as a daemon finds the cluster when it starts. */
    void changeTo(Topology found) {
        change(found);
        cluster.records.add(new HistoryRecord.ClusterChanged(found, cluster.capacity.gpusUp()));
        for (Node node : found.nodes()) {
            releaseReservationsOnMissing(node.index());
        }
    }

    /**
     * Whether this changed the node. Costs O(GPUs of the node) where it has the form of the one that had the slot, as a node that is
     * described otherwise, leaves or takes the place of one that left.
     */
    private boolean set(int slot, NodeSpec spec) {
        Topology before = cluster.topology;
        Topology now = before.withNode(slot, spec);
        Node node = now.node(slot);
        Node was = slot < before.nodes().size() ? before.node(slot) : null;
        if (node.equals(was)) {
            return false;
        }
        if (was == null || !was.hasFormOf(node)) {
            change(now);
            return true;
        }
        absentSlots().set(slot, node.presentGpus() == 0);
        cluster.topology = now;
        cluster.capacity.describe(now, slot);
        if (cluster.feasibility.mayMatter(was, node)) {
            cluster.feasibility = new Feasibility(now);
            findJobsThatLackNodes();
        } else {
            cluster.feasibility.describe(now, was, node);
        }
        cluster.capacityVersion++;
        return true;
    }

    private void change(Topology now) {
        Topology before = cluster.topology;
        if (!now.equals(before)) {
            renumbered |= differsForPolicies(before, now);
            absent = null;
            cluster.topology = now;
            cluster.feasibility = new Feasibility(now);
            List<TrackedJob> jobs = cluster.all();
            rebuildCapacity(now, jobs);
            if (!now.types().equals(before.types())) {
                for (TrackedJob job : jobs) {
                    job.eligibleTypes = job.job.demand().eligibleTypes(now);
                    job.typesByPreference = cluster.feasibility.typesByPreference(job.job, job.eligibleTypes);
                }
            }
            findJobsThatLackNodes();
        }
        cluster.capacityVersion++;
    }

    private void findJobsThatLackNodes() {
        for (TrackedJob job : cluster.all()) {
            boolean lacks = cluster.feasibility.lacksNodes(job);
            if (lacks != job.lacksNodes) {
                job.lacksNodes = lacks;
                cluster.markChanged(job);
            }
        }
    }

    private static boolean differsForPolicies(Topology before, Topology now) {
        boolean differs = before.nodes().size() != now.nodes().size()
                || before.gpuCount() != now.gpuCount()
                || !before.types().equals(now.types())
                || before.racks().size() != now.racks().size();
        for (int n = 0; !differs && n < now.nodes().size(); n++) {
            differs = before.node(n).type() != now.node(n).type()
                    || before.node(n).rack() != now.node(n).rack();
        }
        return differs;
    }

    /** Costs O(GPUs + jobs), where nodes or GPUs get numbers, or a node another type or rack. */
    private void rebuildCapacity(Topology now, List<TrackedJob> jobs) {
        Capacity capacity = new Capacity(now, new NodeConditions(now, cluster.capacity.conditions));
        for (TrackedJob job : jobs) {
            if (job.held != null) {
                capacity.occupy(job.held, job.job.demand(), 1);
                if (job.state == JobState.PREEMPTING) {
                    capacity.vacate(job.held, job.job.demand(), 1);
                }
            }
            if (job.reservation != null) {
                capacity.reserve(job.reservation, job.job.demand(), 1);
            }
        }
        cluster.suspended.moveTo(capacity);
        cluster.capacity = capacity;
        cluster.gpuUse.grow(now, capacity.conditions);
    }

    // ---- what keeps attempts from them ----

    void setDown(boolean isNode, int index, boolean down) {
        if (isNode) {
            cluster.capacity.setNodeDown(index, down);
        } else {
            cluster.capacity.setGpuDown(index, down);
        }
        cluster.capacityVersion++;
        cluster.records.add(new HistoryRecord.CapacityChanged(isNode, index, !down, cluster.capacity.gpusUp()));
        if (down && isNode) {
            releaseReservationsOn(index);
        } else if (down) {
            releaseReservationOf(index);
        }
    }

    /**
     * From now on no attempt starts on the node, also not on GPUs that are reserved; or attempts may start there again.
     *
     * @param note null when the node is back in service
     */
    void setDrained(int node, @Nullable DrainNote note) {
        cluster.capacity.setNodeDrained(node, note);
        cluster.capacityVersion++;
        cluster.records.add(new HistoryRecord.DrainChanged(node, note != null, note == null ? DrainNote.NONE : note));
        if (note != null) {
            releaseReservationsOn(node);
        }
    }

    void setUnreachable(int node, boolean unreachable) {
        cluster.capacity.setNodeUnreachable(node, unreachable);
        cluster.capacityVersion++;
        cluster.records.add(new HistoryRecord.ReachabilityChanged(node, !unreachable));
        if (unreachable) {
            releaseReservationsOn(node);
        }
    }

    void setForeignLoad(int node, ForeignLoad load) {
        cluster.capacity.setForeignLoad(node, load);
        cluster.capacityVersion++;
        cluster.records.add(new HistoryRecord.ForeignLoadChanged(node, load, cluster.capacity.gpusUp()));
        load.gpus().forEach(this::releaseReservationOf);
        cluster.recheckReserved(); // CPU or RAM may be enough now
    }

    // ---- reservations that can no longer be used ----

    void releaseReservationsOn(int node) {
        Node where = cluster.topology.node(node);
        for (int gpu = where.firstGpu(); gpu < where.endGpu(); gpu++) {
            releaseReservationOf(gpu);
        }
    }

    private void releaseReservationsOnMissing(int node) {
        Node where = cluster.topology.node(node);
        for (int position : where.inventory().missing()) {
            releaseReservationOf(where.firstGpu() + position);
        }
    }

    void releaseReservationOf(int gpu) {
        TrackedJob beneficiary = cluster.gpuUse.beneficiary(gpu);
        if (beneficiary != null) {
            cluster.releaseReservation(beneficiary);
            cluster.markChanged(beneficiary);
        }
    }
}
