package dev.fermata.bench.measure;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Changes one node each second. It gets other labels, is drained, unreachable or used by others, or leaves; what can be undone is
 * undone the next second.
 */
final class ChangingNodes {
    private static final long EVERY_MILLIS = 1000;
    private static final int STRIDE = 37;

    private long nextMillis;
    private int change;

    /** What changes until now; nothing in most steps. */
    List<Event> advance(long now, Scheduler scheduler, SimulatedEngine engine) {
        if (now < nextMillis) {
            return List.of();
        }
        nextMillis = now + EVERY_MILLIS;
        Topology topology = scheduler.view().topology();
        int kind = change / 2 % 5;
        boolean undo = change % 2 == 1;
        int slot = change / 2 * STRIDE % topology.nodes().size();
        Node node = topology.node(slot);
        NodeSpec spec = NodeSpec.of(topology, slot);
        change++;
        return switch (kind) {
            case 0 -> List.of(new Event.NodeChanged(slot, named(spec, spec.name())));
            case 1 -> List.of(undo ? new Event.NodeUndrained(slot) : new Event.NodeDrained(slot, DrainNote.NONE));
            case 2 -> List.of(undo ? new Event.NodeReachable(slot) : new Event.NodeUnreachable(slot));
            case 3 ->
                List.of(new Event.ForeignLoadChanged(
                        slot, undo ? ForeignLoad.NONE : new ForeignLoad(List.of(node.firstGpu()), 0, 0)));
            default -> {
                if (undo) {
                    yield List.of(new Event.NodeAdded(named(spec, "new" + change)));
                }
                engine.loseNode(now, slot);
                yield List.of(new Event.NodeRemoved(slot));
            }
        };
    }

    private NodeSpec named(NodeSpec spec, String name) {
        NodeInventory inventory = NodeInventory.of(name).withLabels(new TreeMap<>(Map.of("change", "" + change)));
        return new NodeSpec(name, spec.rack(), spec.type(), spec.gpus(), spec.host(), inventory);
    }
}
