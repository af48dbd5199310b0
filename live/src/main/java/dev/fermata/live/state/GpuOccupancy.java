package dev.fermata.live.state;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The jobs, reservations and outages of every GPU. Only the scheduler loop's thread uses it; other threads read the
 * copy that {@link #gpuStates} returns.
 */
public final class GpuOccupancy {
    private static final long NO_JOB = -1;

    private final Topology topology;
    private final List<List<Long>> jobsOnGpu = new ArrayList<>();
    private final long[] reservedFor;
    private final Map<Long, Allocation> reservations = new HashMap<>();
    private final BitSet nodesDown = new BitSet();
    private final BitSet gpusDown = new BitSet();
    private final BitSet drainedNodes = new BitSet();

    public GpuOccupancy(Topology topology) {
        this.topology = topology;
        reservedFor = new long[topology.gpuCount()];
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            jobsOnGpu.add(new ArrayList<>());
            reservedFor[gpu] = NO_JOB;
        }
    }

    /** Restores the occupancy from the recovered cluster state. */
    public void restore(SchedulerSnapshot snapshot, Iterable<JobView> live) {
        snapshot.nodesDown().forEach(nodesDown::set);
        snapshot.gpusDown().forEach(gpusDown::set);
        snapshot.drainedNodes().forEach(drainedNodes::set);
        for (JobView job : live) {
            Allocation allocation = job.allocation();
            if (allocation != null && job.state().holdsGpus()) {
                add(job.id(), allocation);
            } else if (allocation != null) {
                reserve(job.id(), allocation);
            }
        }
    }

    public void reserve(long job, Allocation allocation) {
        reservations.put(job, allocation);
        markReserved(allocation, job);
    }

    public void releaseReservation(long job) {
        Allocation reservation = reservations.remove(job);
        if (reservation != null) {
            markReserved(reservation, NO_JOB);
        }
    }

    private void markReserved(Allocation allocation, long job) {
        for (int i = 0; i < allocation.size(); i++) {
            reservedFor[allocation.gpu(i)] = job;
        }
    }

    /** Other jobs that share a GPU with this one. */
    public Set<Long> neighbours(long job, Allocation allocation) {
        Set<Long> neighbours = new LinkedHashSet<>();
        for (int i = 0; i < allocation.size(); i++) {
            neighbours.addAll(jobsOnGpu.get(allocation.gpu(i)));
        }
        neighbours.remove(job);
        return neighbours;
    }

    public void add(long job, Allocation allocation) {
        releaseReservation(job);
        for (int i = 0; i < allocation.size(); i++) {
            jobsOnGpu.get(allocation.gpu(i)).add(job);
        }
    }

    public void remove(long job, Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            jobsOnGpu.get(allocation.gpu(i)).remove(job);
        }
    }

    /** Records a failed or repaired node or GPU. */
    public void recordCapacityChange(HistoryRecord.CapacityChanged record) {
        (record.isNode() ? nodesDown : gpusDown).set(record.index(), !record.up());
    }

    public void recordDrainChange(HistoryRecord.DrainChanged record) {
        drainedNodes.set(record.node(), record.drained());
    }

    private boolean isUp(int gpu, Node node) {
        return !topology.isMissing(gpu) && !gpusDown.get(gpu) && !nodesDown.get(node.index());
    }

    /** GPUs of these types that hold no job and are down, missing or drained. A node without any GPU left is no outage. */
    public Outages outages(long types) {
        List<String> places = new ArrayList<>();
        int down = 0;
        int drained = 0;
        for (Node node : topology.nodes()) {
            if ((types >> node.type() & 1) == 0 || node.presentGpus() == 0) {
                continue;
            }
            boolean isDrained = drainedNodes.get(node.index());
            List<String> idleDown = new ArrayList<>();
            List<String> idleMissing = new ArrayList<>();
            int idleDrained = 0;
            for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
                boolean idle = jobsOnGpu.get(gpu).isEmpty();
                if (idle && topology.isMissing(gpu)) {
                    idleMissing.add(Integer.toString(gpu));
                } else if (idle && !isUp(gpu, node)) {
                    idleDown.add(Integer.toString(gpu));
                } else if (idle && isDrained) {
                    idleDrained++;
                }
            }
            if (!idleDown.isEmpty()) {
                places.add(nodesDown.get(node.index()) ? node.name() + " is down" : describe(node, idleDown, "down"));
            }
            if (!idleMissing.isEmpty()) {
                places.add(describe(node, idleMissing, "missing"));
            }
            if (isDrained && (idleDrained > 0 || !idleDown.isEmpty())) {
                places.add(node.name() + " is drained; fermata undrain " + node.name());
            }
            down += idleDown.size() + idleMissing.size();
            drained += idleDrained;
        }
        return new Outages(down, drained, places);
    }

    private static String describe(Node node, List<String> gpus, String state) {
        return "GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus) + " of " + node.name()
                + (gpus.size() == 1 ? " is " : " are ") + state;
    }

    public List<GpuState> gpuStates() {
        List<GpuState> states = new ArrayList<>(topology.gpuCount());
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            Node node = topology.node(topology.nodeOf(gpu));
            states.add(new GpuState(
                    gpu,
                    node.index(),
                    topology.types().get(node.type()).name(),
                    isUp(gpu, node),
                    drainedNodes.get(node.index()),
                    List.copyOf(jobsOnGpu.get(gpu)),
                    reservedFor[gpu]));
        }
        return List.copyOf(states);
    }
}
