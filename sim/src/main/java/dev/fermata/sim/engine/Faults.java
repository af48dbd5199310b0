package dev.fermata.sim.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes and GPUs that fail and are repaired. Each draws exponential times from a stream of its own, so the faults do
 * not depend on what the scheduler does.
 */
public final class Faults {
    /** Mean times in milliseconds; 0 means that faults of this type never happen. */
    public record FaultRates(long nodeMeanMillis, long gpuMeanMillis, long repairMeanMillis) {
        public static final FaultRates NONE = new FaultRates(0, 0, 1);
    }

    private record FaultyComponent(boolean isNode, int index, boolean down) {}

    private final FaultRates rates;
    private final List<Rng> nodeStreams = new ArrayList<>();
    private final List<Rng> gpuStreams = new ArrayList<>();
    private final TimerQueue<FaultyComponent> components = new TimerQueue<>();

    public Faults(Topology topology, FaultRates rates, long seed) {
        this.rates = rates;
        if (rates.nodeMeanMillis() > 0) {
            for (int n = 0; n < topology.nodes().size(); n++) {
                nodeStreams.add(Rng.stream(seed, 1_000_000L + n));
                schedule(new FaultyComponent(true, n, false), 0);
            }
        }
        if (rates.gpuMeanMillis() > 0) {
            for (int g = 0; g < topology.gpuCount(); g++) {
                gpuStreams.add(Rng.stream(seed, 1_000_000_000L + g));
                schedule(new FaultyComponent(false, g, false), 0);
            }
        }
    }

    /** No faults at all. */
    public static Faults none(Topology topology) {
        return new Faults(topology, FaultRates.NONE, 0);
    }

    private void schedule(FaultyComponent component, long now) {
        Rng stream = (component.isNode ? nodeStreams : gpuStreams).get(component.index);
        long mean = component.down
                ? rates.repairMeanMillis()
                : component.isNode ? rates.nodeMeanMillis() : rates.gpuMeanMillis();
        components.add(now + Math.max(1, Math.round(stream.exponential((double) mean))), component);
    }

    long nextMillis() {
        return components.nextTime();
    }

    /** What fails or comes back up to now. */
    List<Event> advance(long now) {
        List<Event> events = new ArrayList<>();
        while (components.nextTime() <= now) {
            FaultyComponent component = components.poll();
            if (component.isNode) {
                events.add(component.down ? new Event.NodeUp(component.index) : new Event.NodeDown(component.index));
            } else {
                events.add(component.down ? new Event.GpuUp(component.index) : new Event.GpuDown(component.index));
            }
            schedule(new FaultyComponent(component.isNode, component.index, !component.down), now);
        }
        return events;
    }
}
