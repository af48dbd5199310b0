package dev.fermata.live.state;

import dev.fermata.core.contract.Count;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.GpuUse;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The projection of the cluster state on its GPUs, for users. It keeps nothing of its own. */
public final class GpuOccupancy {
    private static final long NO_JOB = -1;

    private final Supplier<Topology> cluster;
    private final GpuUse use;

    public GpuOccupancy(Supplier<Topology> cluster, GpuUse use) {
        this.cluster = cluster;
        this.use = use;
    }

    /** The GPUs of a cluster that no daemon has recovered yet. */
    public static List<GpuState> idle(Topology topology) {
        return IntStream.range(0, topology.gpuCount())
                .mapToObj(gpu -> stateOf(gpu, topology, !topology.isMissing(gpu), false, List.of(), NO_JOB))
                .toList();
    }

    /** GPUs of these types that hold no job and are down, missing or drained. A node without any GPU left is no outage. */
    public Outages outages(long types) {
        Topology topology = cluster.get();
        List<String> places = new ArrayList<>();
        int down = 0;
        int drained = 0;
        for (Node node : topology.nodes()) {
            if ((types >> node.type() & 1) == 0 || node.presentGpus() == 0) {
                continue;
            }
            boolean isDrained = use.isDrained(node.index());
            List<String> idleDown = new ArrayList<>();
            List<String> idleMissing = new ArrayList<>();
            int idleDrained = 0;
            for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
                boolean idle = use.jobsOn(gpu).isEmpty();
                if (idle && topology.isMissing(gpu)) {
                    idleMissing.add(Integer.toString(gpu));
                } else if (idle && !use.isUp(gpu)) {
                    idleDown.add(Integer.toString(gpu));
                } else if (idle && isDrained) {
                    idleDrained++;
                }
            }
            if (!idleDown.isEmpty()) {
                places.add(use.isNodeDown(node.index()) ? node.name() + " is down" : describe(node, idleDown, "down"));
            }
            ForeignLoad foreign = use.foreignLoad(node.index());
            if (use.isUnreachable(node.index())) {
                places.add(node.name() + " is unreachable");
            }
            if (!foreign.gpus().isEmpty()) {
                places.add("others use " + Count.of(foreign.gpus().size(), "GPU") + " of " + node.name());
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

    public List<NodeState> nodeStates() {
        return cluster.get().nodes().stream()
                .map(node -> new NodeState(
                        node.index(),
                        use.isUnreachable(node.index()),
                        use.isExcluded(node.index()),
                        use.drainNote(node.index()),
                        use.foreignLoad(node.index())))
                .toList();
    }

    public List<GpuState> gpuStates() {
        Topology topology = cluster.get();
        List<GpuState> states = new ArrayList<>(topology.gpuCount());
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            JobView beneficiary = use.reservedFor(gpu);
            states.add(stateOf(
                    gpu,
                    topology,
                    use.isUp(gpu),
                    use.isDrained(topology.nodeOf(gpu)),
                    use.jobsOn(gpu).stream().map(JobView::id).toList(),
                    beneficiary == null ? NO_JOB : beneficiary.id()));
        }
        return List.copyOf(states);
    }

    private static GpuState stateOf(
            int gpu, Topology topology, boolean up, boolean drained, List<Long> jobs, long reservedFor) {
        Node node = topology.node(topology.nodeOf(gpu));
        return new GpuState(
                gpu, node.index(), topology.types().get(node.type()).name(), up, drained, jobs, reservedFor);
    }
}
