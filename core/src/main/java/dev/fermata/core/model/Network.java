package dev.fermata.core.model;

/** The three tiers a gang may communicate over: inside a node, inside a rack, between racks. */
public record Network(Link node, Link rack, Link spine) {

    /** A common cluster: NVLink inside a node, one 100 Gb/s card per node, racks joined at half of that. */
    public static final Network DEFAULT = new Network(new Link(150, 1), new Link(12.5, 5), new Link(6.25, 20));

    /**
     * Milliseconds of a hierarchical ring all-reduce of {@code mib} MiB. It runs inside the nodes, then with each
     * node's share inside the racks, then with each rack's share between racks.
     */
    public double allReduceMillis(Shape shape, double mib) {
        return node.ringMillis(shape.gpusPerNode(), mib) + rackMillis(shape, mib) + spineMillis(shape, mib);
    }

    /** The part of it inside the racks, over the uplinks of the nodes. */
    public double rackMillis(Shape shape, double mib) {
        return rack.ringMillis(shape.nodesPerRack(), mib / shape.gpusPerNode());
    }

    /** The part of it between racks, over the uplinks of the racks. */
    public double spineMillis(Shape shape, double mib) {
        return spine.ringMillis(shape.racks(), mib / shape.gpusPerNode() / shape.nodesPerRack());
    }
}
