package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A cluster whose nodes come and go at random, are lost and found, lose GPUs, grow, and are used by others; until a time from which
 * all is well. It never has other nodes than the scenario's cluster, in the same numbers.
 */
final class NodeChanges {
    private static final int MEAN_MILLIS = 40_000;

    private final Topology all;
    private final int begin;
    /** How many GPUs the last node of the beginning does not have yet. */
    private final int absentGpus;

    private final long healsMillis;
    private final Rng rng;
    private long nextMillis;
    private boolean healed;
    private int names;

    NodeChanges(Topology all, long healsMillis, long seed) {
        this.all = all;
        this.healsMillis = healsMillis;
        this.rng = Rng.stream(seed, 84);
        this.begin = 1 + rng.uniformInt(all.nodes().size());
        this.absentGpus = Rng.stream(seed, 85).uniformInt(all.node(begin - 1).gpus());
        this.nextMillis = Math.round(rng.exponential(MEAN_MILLIS));
    }

    /** The nodes that are there from the beginning: the first ones, the last of them perhaps with fewer GPUs than later. */
    Topology beginning() {
        NodeSpec first = atBegin(0);
        Topology topology = Topology.builder()
                .network(all.network())
                .rack(first.rack())
                .node(
                        first.name(),
                        first.type(),
                        first.gpus(),
                        first.host().cpuMilli(),
                        first.host().memoryMib(),
                        first.inventory())
                .build();
        for (int node = 1; node < begin; node++) {
            topology = topology.withNode(node, atBegin(node));
        }
        return topology;
    }

    private NodeSpec atBegin(int node) {
        NodeSpec spec = NodeSpec.of(all, node);
        int gpus = node == begin - 1 ? spec.gpus() - absentGpus : spec.gpus();
        return new NodeSpec(spec.name(), spec.rack(), spec.type(), gpus, spec.host(), NodeInventory.of(spec.name()));
    }

    /** The last node with all its GPUs, null if it has them. */
    private @Nullable Event growth(Topology topology) {
        int last = topology.nodes().size() - 1;
        boolean grown = topology.node(last).gpus() == all.node(last).gpus();
        return grown || topology.node(last).presentGpus() == 0
                ? null
                : new Event.NodeChanged(last, renamed(NodeSpec.of(all, last), "grown" + names++));
    }

    long nextMillis() {
        return healed ? Plan.NEVER : nextMillis;
    }

    /** @param lose ends the attempts on a node */
    List<Event> advance(long now, Scheduler scheduler, IntConsumer lose) {
        if (nextMillis() > now) {
            return List.of();
        }
        nextMillis = now + 1 + Math.round(rng.exponential(MEAN_MILLIS));
        return now >= healsMillis ? heal(now, scheduler) : change(scheduler, lose);
    }

    private List<Event> change(Scheduler scheduler, IntConsumer lose) {
        Topology topology = scheduler.view().topology();
        Node node = topology.node(rng.uniformInt(topology.nodes().size()));
        boolean present = node.presentGpus() > 0;
        return switch (rng.uniformInt(8)) {
            case 0, 1 -> addOne(scheduler);
            case 2 -> {
                if (!present) {
                    yield List.of();
                }
                lose.accept(node.index());
                yield List.of(new Event.NodeRemoved(node.index()));
            }
            case 3 -> List.of(new Event.NodeUnreachable(node.index()));
            case 4 -> List.of(new Event.NodeReachable(node.index()));
            case 6 -> {
                if (!present) {
                    yield List.of();
                }
                if (rng.uniform() < 0.5) {
                    lose.accept(node.index()); // else its attempts continue until they end
                }
                yield List.of(new Event.NodeChanged(node.index(), withLostGpus(NodeSpec.of(topology, node.index()))));
            }
            case 5 ->
                List.of(new Event.ForeignLoadChanged(
                        node.index(),
                        rng.uniform() < 0.4
                                ? ForeignLoad.NONE
                                : new ForeignLoad(freeGpus(scheduler, node), rng.uniformInt(4000), 1024)));
            default ->
                present
                        ? List.of(new Event.NodeChanged(
                                node.index(), renamed(NodeSpec.of(topology, node.index()), "host" + names++)))
                        : List.of();
        };
    }

    /** Without some of its GPUs, but for one. */
    private NodeSpec withLostGpus(NodeSpec spec) {
        List<Integer> missing = new ArrayList<>();
        for (int position = 1; position < spec.gpus(); position++) {
            if (rng.uniform() < 0.4) {
                missing.add(position);
            }
        }
        NodeInventory inventory = new NodeInventory(spec.name(), List.of(), missing);
        return new NodeSpec(spec.name(), spec.rack(), spec.type(), spec.gpus(), spec.host(), inventory);
    }

    private List<Integer> freeGpus(Scheduler scheduler, Node node) {
        List<Integer> free = new ArrayList<>();
        for (int gpu = node.firstGpu(); gpu < node.endGpu(); gpu++) {
            if (scheduler.gpuUse().jobsOn(gpu).isEmpty() && rng.uniform() < 0.5) {
                free.add(gpu);
            }
        }
        return free;
    }

    /** A new node in place of one that is gone, or the next node of the scenario. */
    private List<Event> addOne(Scheduler scheduler) {
        Topology topology = scheduler.view().topology();
        for (Node node : topology.nodes()) {
            if (node.presentGpus() == 0 && isEmpty(scheduler, node) && rng.uniform() < 0.5) {
                return List.of(new Event.NodeAdded(renamed(NodeSpec.of(topology, node.index()), "new" + names++)));
            }
        }
        Event growth = growth(topology);
        if (growth != null) {
            return List.of(growth);
        }
        int next = topology.nodes().size();
        boolean vacant = topology.nodes().stream().anyMatch(node -> node.presentGpus() == 0);
        return next < all.nodes().size() && !vacant ? List.of(new Event.NodeAdded(NodeSpec.of(all, next))) : List.of();
    }

    private static boolean isEmpty(Scheduler scheduler, Node node) {
        for (int gpu = node.firstGpu(); gpu < node.endGpu(); gpu++) {
            if (!scheduler.gpuUse().jobsOn(gpu).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static NodeSpec renamed(NodeSpec spec, String name) {
        NodeInventory labelled = NodeInventory.of(name).withLabels(new TreeMap<>(Map.of("name", name)));
        return new NodeSpec(name, spec.rack(), spec.type(), spec.gpus(), spec.host(), labelled);
    }

    private List<Event> heal(long now, Scheduler scheduler) {
        Topology topology = scheduler.view().topology();
        List<Event> events = new ArrayList<>();
        boolean vacantInUse = false;
        boolean vacant = false;
        for (Node node : topology.nodes()) {
            if (node.presentGpus() == 0) {
                vacant = true;
                vacantInUse |= !isEmpty(scheduler, node);
                events.add(new Event.NodeAdded(renamed(NodeSpec.of(topology, node.index()), "healed" + names++)));
            } else if (node.presentGpus() < node.gpus()) {
                NodeSpec whole = renamed(NodeSpec.of(topology, node.index()), "whole" + names++);
                events.add(new Event.NodeChanged(node.index(), whole));
            }
            events.add(new Event.NodeReachable(node.index()));
            events.add(new Event.ForeignLoadChanged(node.index(), ForeignLoad.NONE));
        }
        if (vacantInUse) {
            nextMillis = now + 1000;
            return List.of();
        }
        if (vacant) {
            nextMillis = now + 1;
            return events;
        }
        Event growth = growth(topology);
        if (growth != null) {
            events.add(growth);
        }
        for (int node = topology.nodes().size(); node < all.nodes().size(); node++) {
            events.add(new Event.NodeAdded(NodeSpec.of(all, node)));
        }
        healed = true;
        return events;
    }
}
