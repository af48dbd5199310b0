package dev.fermata.research.dally;

import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import java.util.List;

/**
 * The networks Dally is studied on. Inside a machine the authors have four GPUs fully connected without latency, twice,
 * joined at 500 ns: 1 us for an all-reduce of eight, which is what a ring of eight takes at 1/14 us a hop.
 */
public record DallyNetwork(String label, Network network) {
    private static final Link MACHINE = new Link(600, 1.0 / 14);

    /** As checked in by the authors. */
    public static final DallyNetwork DEFAULT =
            new DallyNetwork("default", new Network(MACHINE, new Link(200, 5), new Link(400, 50)));
    /** Near an older setting of the authors, which had far more latency between racks. */
    public static final DallyNetwork CONGESTED =
            new DallyNetwork("congested", new Network(MACHINE, new Link(100, 5), new Link(10, 500)));
    /** Ours: a busy commodity network. */
    public static final DallyNetwork HEAVY =
            new DallyNetwork("heavily congested", new Network(MACHINE, new Link(25, 20), new Link(3, 1000)));

    public static final List<DallyNetwork> ALL = List.of(DEFAULT, CONGESTED, HEAVY);

    /** Bandwidth and latency in a rack and between racks. */
    public String figures() {
        return tier(network.rack()) + "; " + tier(network.spine());
    }

    private static String tier(Link link) {
        return Math.round(link.gigabytesPerSecond()) + " GB/s " + Math.round(link.latencyMicros()) + " us";
    }
}
