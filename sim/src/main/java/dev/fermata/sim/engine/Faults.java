package dev.fermata.sim.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What goes wrong with the cluster. Nodes and GPUs fail and are repaired; nodes leave and others take their place, are out of reach
 * for a while, and have GPUs that others use. Each draws exponential times from a stream of its own, so the times
 * do not depend on what the scheduler does.
 */
public final class Faults {
    /** Mean times in milliseconds; 0 means that faults of this type never happen. */
    public record FaultRates(long nodeMeanMillis, long gpuMeanMillis, long repairMeanMillis, NodeChangeRates changes) {
        public static final FaultRates NONE = new FaultRates(0, 0, 1);

        /** Only nodes and GPUs that fail. */
        public FaultRates(long nodeMeanMillis, long gpuMeanMillis, long repairMeanMillis) {
            this(nodeMeanMillis, gpuMeanMillis, repairMeanMillis, NodeChangeRates.NONE);
        }
    }

    /**
     * Mean times in milliseconds until something happens to a node, 0 for never, and how long that lasts.
     *
     * @param leaveMillis until it leaves the cluster
     * @param absentMillis until a node of the same form joins for it
     * @param unreachableMillis until it is out of reach; its attempts continue
     * @param silentMillis how long that lasts
     * @param foreignMillis until others use some of its free GPUs
     * @param loadMillis how long that lasts
     */
    public record NodeChangeRates(
            long leaveMillis,
            long absentMillis,
            long unreachableMillis,
            long silentMillis,
            long foreignMillis,
            long loadMillis) {
        public static final NodeChangeRates NONE = new NodeChangeRates(0, 1, 0, 1, 0, 1);
    }

    private enum FaultType {
        NODE(1_000_000L),
        GPU(1_000_000_000L),
        LEAVE(2_000_000L),
        UNREACHABLE(3_000_000L),
        FOREIGN(4_000_000L);

        private final long firstStream;

        FaultType(long firstStream) {
            this.firstStream = firstStream;
        }
    }

    /** The occupant of a timer for a node that joins, whichever slot it will get. */
    private static final int JOINS = -1;

    /** When the next change of this type is due to a node or GPU; void once another node has the slot. */
    private record FaultTimer(FaultType type, int index, int occupant) {}

    private final Topology topology;
    private final FaultRates rates;
    private final Map<FaultType, List<Rng>> streams = new EnumMap<>(FaultType.class);
    /** What is down, out of reach or in use by others. */
    private final Map<FaultType, BitSet> ongoing = new EnumMap<>(FaultType.class);

    private final TimerQueue<FaultTimer> timers = new TimerQueue<>();
    /** How often a slot changed hands. */
    private final int[] occupants;

    private int joined;

    public Faults(Topology topology, FaultRates rates, long seed) {
        this.topology = topology;
        this.rates = rates;
        this.occupants = new int[topology.nodes().size()];
        for (FaultType type : FaultType.values()) {
            ongoing.put(type, new BitSet());
            int count = type == FaultType.GPU ? topology.gpuCount() : occupants.length;
            List<Rng> own = new ArrayList<>();
            for (int i = 0; i < count && meanUntil(type) > 0; i++) {
                own.add(Rng.stream(seed, type.firstStream + i));
            }
            streams.put(type, own);
            for (int i = 0; i < own.size(); i++) {
                schedule(type, i, 0);
            }
        }
    }

    /** No faults at all. */
    public static Faults none(Topology topology) {
        return new Faults(topology, FaultRates.NONE, 0);
    }

    private long meanUntil(FaultType type) {
        return switch (type) {
            case NODE -> rates.nodeMeanMillis();
            case GPU -> rates.gpuMeanMillis();
            case LEAVE -> rates.changes().leaveMillis();
            case UNREACHABLE -> rates.changes().unreachableMillis();
            case FOREIGN -> rates.changes().foreignMillis();
        };
    }

    private long meanDuration(FaultType type) {
        return switch (type) {
            case NODE, GPU -> rates.repairMeanMillis();
            case LEAVE -> rates.changes().absentMillis();
            case UNREACHABLE -> rates.changes().silentMillis();
            case FOREIGN -> rates.changes().loadMillis();
        };
    }

    private Rng stream(FaultType type, int index) {
        return streams.getOrDefault(type, List.of()).get(index);
    }

    private BitSet ongoing(FaultType type) {
        return ongoing.getOrDefault(type, new BitSet());
    }

    private void schedule(FaultType type, int index, long now) {
        boolean isOngoing = ongoing(type).get(index);
        long mean = isOngoing ? meanDuration(type) : meanUntil(type);
        long delay = Math.max(1, Math.round(stream(type, index).exponential((double) mean)));
        int occupant = isOngoing && type == FaultType.LEAVE ? JOINS : occupants[slotOf(type, index)];
        timers.add(now + delay, new FaultTimer(type, index, occupant));
    }

    private int slotOf(FaultType type, int index) {
        return type == FaultType.GPU ? topology.nodeOf(index) : index;
    }

    long nextMillis() {
        return timers.nextTime();
    }

    /**
     * What happens up to now.
     *
     * @param gpusInUse by the attempts of the scheduler: others use none of them
     */
    List<Event> advance(long now, Supplier<BitSet> gpusInUse) {
        List<Event> events = new ArrayList<>();
        while (timers.nextTime() <= now) {
            FaultTimer timer = timers.poll();
            int slot = slotOf(timer.type, timer.index);
            if (timer.occupant == JOINS) {
                events.add(new Event.NodeAdded(successor(slot)));
            } else if (timer.occupant == occupants[slot]) {
                events.add(change(timer, now, gpusInUse));
            } // else of a node that has left
        }
        return events;
    }

    private Event change(FaultTimer timer, long now, Supplier<BitSet> gpusInUse) {
        if (timer.type == FaultType.LEAVE) {
            leave(timer.index, now);
            return new Event.NodeRemoved(timer.index);
        }
        ongoing(timer.type).flip(timer.index);
        Event event = event(timer.type, timer.index, gpusInUse);
        schedule(timer.type, timer.index, now);
        return event;
    }

    private Event event(FaultType type, int index, Supplier<BitSet> gpusInUse) {
        boolean begins = ongoing(type).get(index);
        return switch (type) {
            case NODE -> begins ? new Event.NodeDown(index) : new Event.NodeUp(index);
            case GPU -> begins ? new Event.GpuDown(index) : new Event.GpuUp(index);
            case UNREACHABLE -> begins ? new Event.NodeUnreachable(index) : new Event.NodeReachable(index);
            case FOREIGN, LEAVE ->
                new Event.ForeignLoadChanged(index, begins ? load(index, gpusInUse.get()) : ForeignLoad.NONE);
        };
    }

    private ForeignLoad load(int slot, BitSet inUse) {
        Node node = topology.node(slot);
        int wanted = 1 + stream(FaultType.FOREIGN, slot).uniformInt(node.gpus());
        return new ForeignLoad(
                IntStream.range(node.firstGpu(), node.endGpu())
                        .filter(gpu -> !inUse.get(gpu))
                        .limit(wanted)
                        .boxed()
                        .toList(),
                0,
                0);
    }

    private void leave(int slot, long now) {
        occupants[slot]++;
        Node node = topology.node(slot);
        for (FaultType type : FaultType.values()) {
            if (type == FaultType.GPU) {
                ongoing(type).clear(node.firstGpu(), node.endGpu());
            } else {
                ongoing(type).clear(slot);
            }
        }
        ongoing(FaultType.LEAVE).set(slot);
        schedule(FaultType.LEAVE, slot, now);
    }

    /** Another machine with what the node of this slot had. */
    private NodeSpec successor(int slot) {
        NodeSpec left = NodeSpec.of(topology, slot);
        String name = left.name() + "-" + ++joined;
        return new NodeSpec(name, left.rack(), left.type(), left.gpus(), left.host(), NodeInventory.of(name));
    }

    /** The scheduler gave this slot to a node that joined: its own or one that left before. */
    void nodeAdded(long now, int slot) {
        if (slot >= occupants.length || !ongoing(FaultType.LEAVE).get(slot)) {
            return; // a user added it
        }
        occupants[slot]++;
        ongoing(FaultType.LEAVE).clear(slot);
        for (FaultType type : FaultType.values()) {
            Node node = topology.node(slot);
            int first = type == FaultType.GPU ? node.firstGpu() : slot;
            int end = type == FaultType.GPU ? node.endGpu() : slot + 1;
            for (int i = first; i < end && meanUntil(type) > 0; i++) {
                schedule(type, i, now);
            }
        }
    }
}
