package dev.fermata.bench.torture;

import dev.fermata.core.model.Node;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.Condition;
import dev.fermata.live.engine.EngineNode;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** One machine of the site: what it has, and what keeps attempts from it. It decides nothing. */
final class SimulatedMachine {
    final String id;
    private final List<EngineNode.Gpu> gpus;
    final TreeSet<String> lostGpus = new TreeSet<>();
    /** GPUs that others than Fermata use. */
    final TreeSet<String> foreignGpus = new TreeSet<>();

    final TreeMap<String, String> labels = new TreeMap<>();
    int renamed;
    boolean present = true;
    boolean up = true;
    /** Whether nothing is heard of it; what runs there goes on. */
    boolean silent;
    /** Whether it was silent for a while: the daemon may hear of that later, and give up what runs there now. */
    boolean wasSilent;

    boolean drained;

    SimulatedMachine(String id, List<EngineNode.Gpu> gpus) {
        this.id = id;
        this.gpus = List.copyOf(gpus);
    }

    /** The GPUs that it has now. */
    List<EngineNode.Gpu> gpus() {
        return gpus.stream().filter(gpu -> !lostGpus.contains(gpu.id())).toList();
    }

    boolean has(String gpu) {
        return present && gpus().stream().anyMatch(own -> own.id().equals(gpu));
    }

    EngineNode describe() {
        String name = renamed == 0 ? id : id + "-address" + renamed;
        return new EngineNode(id, name, "rack0", gpus(), new Node.Host(Node.UNLIMITED, Node.UNLIMITED), labels);
    }

    /** What an engine reports of it. */
    List<EngineEvent> report() {
        if (!present) {
            return List.of(new EngineEvent.NodeGone(id));
        }
        if (silent) {
            return List.of(new EngineEvent.NodeConditionReported(id, Condition.UNREACHABLE, drained, "no answer"));
        }
        return List.of(
                new EngineEvent.NodeReported(describe()),
                new EngineEvent.NodeConditionReported(
                        id, up ? Condition.UP : Condition.DOWN, drained, drained ? "maintenance" : ""),
                new EngineEvent.ForeignLoadReported(id, 0, List.copyOf(foreignGpus), 0, 0));
    }

    /** As it was at first. */
    void repair() {
        present = true;
        up = true;
        silent = false;
        drained = false;
        lostGpus.clear();
        foreignGpus.clear();
    }

    @Override
    public String toString() {
        return id
                + gpus.stream()
                        .map(EngineNode.Gpu::type)
                        .map(type -> type.name())
                        .toList();
    }
}
