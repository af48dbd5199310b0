package dev.fermata.core.model;

/**
 * What the network sees of a placement: GPUs per node, nodes per rack, racks. Uneven placements round up, so that one
 * odd GPU does not make the whole gang a flat ring of the slowest tier.
 */
public record Shape(int gpusPerNode, int nodesPerRack, int racks) {
    public static Shape of(int gpus, int nodes, int racks) {
        return new Shape(ceil(gpus, nodes), ceil(nodes, racks), racks);
    }

    public Tier tier() {
        if (racks > 1) {
            return Tier.NETWORK;
        }
        if (nodesPerRack > 1) {
            return Tier.RACK;
        }
        return gpusPerNode > 1 ? Tier.NODE : Tier.GPU;
    }

    private static int ceil(int a, int b) {
        return (a + b - 1) / b;
    }
}
