package dev.fermata.live.conductor;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
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

/** Who is on which GPU, for people. Belongs to the conductor's thread; {@link #states} is a copy for everybody. */
final class Floor {
    private static final long NOBODY = -1;

    private final Topology topology;
    private final List<List<Long>> jobs = new ArrayList<>();
    private final long[] promisedTo;
    private final Map<Long, Allocation> promises = new HashMap<>();
    private final BitSet nodesDown = new BitSet();
    private final BitSet gpusDown = new BitSet();
    /** Nodes that an operator drained; they count as down in the ledger, like those that failed. */
    private final BitSet drained = new BitSet();

    Floor(Topology topology) {
        this.topology = topology;
        promisedTo = new long[topology.gpuCount()];
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            jobs.add(new ArrayList<>());
            promisedTo[gpu] = NOBODY;
        }
    }

    /** As the ledger has it after a restart. */
    void restore(LedgerImage image, Iterable<JobView> live, List<Integer> drainedNodes) {
        drainedNodes.forEach(drained::set);
        for (int node : image.nodesDown()) {
            nodesDown.set(node, !drained.get(node));
        }
        image.gpusDown().forEach(gpusDown::set);
        for (JobView job : live) {
            Allocation allocation = job.allocation();
            if (allocation != null && job.state().holdsGpus()) {
                seat(job.id(), allocation);
            } else if (allocation != null) {
                promise(job.id(), allocation);
            }
        }
    }

    boolean isDrained(int node) {
        return drained.get(node);
    }

    boolean hasFailed(int node) {
        return nodesDown.get(node);
    }

    void setDrained(int node, boolean isDrained) {
        drained.set(node, isDrained);
    }

    void setFailed(int node, boolean failed) {
        nodesDown.set(node, failed);
    }

    List<Integer> drainedNodes() {
        return drained.stream().boxed().toList();
    }

    void promise(long job, Allocation allocation) {
        promises.put(job, allocation);
        mark(allocation, job);
    }

    void unpromise(long job) {
        Allocation promise = promises.remove(job);
        if (promise != null) {
            mark(promise, NOBODY);
        }
    }

    private void mark(Allocation allocation, long job) {
        for (int i = 0; i < allocation.size(); i++) {
            promisedTo[allocation.gpu(i)] = job;
        }
    }

    /** Who else is on the GPUs of a job. */
    Set<Long> company(long job, Allocation allocation) {
        Set<Long> company = new LinkedHashSet<>();
        for (int i = 0; i < allocation.size(); i++) {
            company.addAll(jobs.get(allocation.gpu(i)));
        }
        company.remove(job);
        return company;
    }

    void seat(long job, Allocation allocation) {
        unpromise(job);
        for (int i = 0; i < allocation.size(); i++) {
            jobs.get(allocation.gpu(i)).add(job);
        }
    }

    void unseat(long job, Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            jobs.get(allocation.gpu(i)).remove(job);
        }
    }

    /** Faults of GPUs are as the ledger says; those of nodes are known here better. */
    void fault(Fact.Capacity fact) {
        if (!fact.isNode()) {
            gpusDown.set(fact.index(), !fact.up());
        }
    }

    /** What is out of service though nobody uses it, of these types of GPU. */
    Outages outages(long types) {
        List<String> places = new ArrayList<>();
        int idle = 0;
        for (Node node : topology.nodes()) {
            if ((types >> node.type() & 1) == 0) {
                continue;
            }
            boolean whole = drained.get(node.index()) || nodesDown.get(node.index());
            List<String> gpus = new ArrayList<>();
            for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
                if ((whole || gpusDown.get(gpu)) && jobs.get(gpu).isEmpty()) {
                    gpus.add(Integer.toString(gpu));
                }
            }
            if (!gpus.isEmpty()) {
                idle += gpus.size();
                places.add(outage(node, gpus));
            }
        }
        return new Outages(idle, places);
    }

    private String outage(Node node, List<String> gpus) {
        if (nodesDown.get(node.index())) {
            return node.name() + " has failed";
        }
        return drained.get(node.index())
                ? node.name() + " is drained; fermata undrain " + node.name()
                : "GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus) + " of " + node.name()
                        + (gpus.size() == 1 ? " is" : " are") + " out of service";
    }

    List<GpuState> states() {
        List<GpuState> states = new ArrayList<>(topology.gpuCount());
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            Node node = topology.node(topology.nodeOf(gpu));
            states.add(new GpuState(
                    gpu,
                    node.index(),
                    topology.types().get(node.type()).name(),
                    !gpusDown.get(gpu) && !nodesDown.get(node.index()),
                    drained.get(node.index()),
                    List.copyOf(jobs.get(gpu)),
                    promisedTo[gpu]));
        }
        return List.copyOf(states);
    }
}
