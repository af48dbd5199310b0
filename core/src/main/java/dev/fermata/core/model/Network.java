package dev.fermata.core.model;

/** The three tiers a gang may talk over: inside a node, inside a rack, between racks. */
public record Network(Link node, Link rack, Link spine) {

    /** The Dally authors' configuration: NVSwitch 600 GB/s, rack ring 200 GB/s 5 us, racks 400 GB/s 50 us. */
    public static final Network DEFAULT = new Network(new Link(600, 0.5), new Link(200, 5), new Link(400, 50));

    /**
     * Milliseconds of a hierarchical ring all-reduce of {@code mib} MiB: first inside the nodes, then each node's share
     * inside the racks, then each rack's share between racks.
     */
    public double allReduceMillis(Shape shape, double mib) {
        double inNode = node.ringMillis(shape.gpusPerNode(), mib);
        double share = mib / shape.gpusPerNode();
        double inRack = rack.ringMillis(shape.nodesPerRack(), share);
        share /= shape.nodesPerRack();
        return inNode + inRack + spine.ringMillis(shape.racks(), share);
    }
}
