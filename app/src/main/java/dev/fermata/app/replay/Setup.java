package dev.fermata.app.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How queues and hardware stood when an episode begins, from what happened before. */
final class Setup {
    /** A node or a GPU. */
    private record Part(boolean isNode, int index) {}

    private final Map<Part, Event> down = new LinkedHashMap<>();
    private final List<Event> rules = new ArrayList<>();

    Setup(List<Happened> before) {
        for (Happened line : before) {
            if (line.fact() instanceof Fact.QueuesSet f) {
                rules.clear();
                rules.add(new Event.QueuesSet(f.rules()));
            } else if (line.fact() instanceof Fact.Capacity f) {
                Part part = new Part(f.isNode(), f.index());
                if (f.up()) {
                    down.remove(part);
                } else {
                    down.put(part, f.isNode() ? new Event.NodeDown(f.index()) : new Event.GpuDown(f.index()));
                }
            }
        }
    }

    List<Workload.Request> requests() {
        List<Event> all = new ArrayList<>(rules);
        all.addAll(down.values());
        return all.stream().map(event -> new Workload.Request(0, event)).toList();
    }
}
