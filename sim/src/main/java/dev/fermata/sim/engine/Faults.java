package dev.fermata.sim.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes and GPUs that fail and are repaired, each with exponential times of its own stream, so that the faults do not
 * depend on what the scheduler does.
 */
public final class Faults {
    /** Mean times in milliseconds; 0 means that this kind of fault never happens. */
    public record Rates(long nodeMeanMillis, long gpuMeanMillis, long repairMeanMillis) {
        public static final Rates NONE = new Rates(0, 0, 1);
    }

    private record Part(boolean isNode, int index, boolean down) {}

    private final Rates rates;
    private final List<Rng> nodeStreams = new ArrayList<>();
    private final List<Rng> gpuStreams = new ArrayList<>();
    private final TimerQueue<Part> parts = new TimerQueue<>();

    public Faults(Topology topology, Rates rates, long seed) {
        this.rates = rates;
        if (rates.nodeMeanMillis() > 0) {
            for (int n = 0; n < topology.nodes().size(); n++) {
                nodeStreams.add(Rng.stream(seed, 1_000_000L + n));
                schedule(new Part(true, n, false), 0);
            }
        }
        if (rates.gpuMeanMillis() > 0) {
            for (int g = 0; g < topology.gpuCount(); g++) {
                gpuStreams.add(Rng.stream(seed, 1_000_000_000L + g));
                schedule(new Part(false, g, false), 0);
            }
        }
    }

    /** No faults at all. */
    public static Faults none(Topology topology) {
        return new Faults(topology, Rates.NONE, 0);
    }

    private void schedule(Part part, long now) {
        Rng stream = (part.isNode ? nodeStreams : gpuStreams).get(part.index);
        long mean = part.down ? rates.repairMeanMillis() : part.isNode ? rates.nodeMeanMillis() : rates.gpuMeanMillis();
        parts.add(now + Math.max(1, Math.round(stream.exponential((double) mean))), part);
    }

    long nextMillis() {
        return parts.nextTime();
    }

    /** What fails or comes back up to now. */
    List<Event> play(long now) {
        List<Event> events = new ArrayList<>();
        while (parts.nextTime() <= now) {
            Part part = parts.poll();
            if (part.isNode) {
                events.add(part.down ? new Event.NodeUp(part.index) : new Event.NodeDown(part.index));
            } else {
                events.add(part.down ? new Event.GpuUp(part.index) : new Event.GpuDown(part.index));
            }
            schedule(new Part(part.isNode, part.index, !part.down), now);
        }
        return events;
    }
}
