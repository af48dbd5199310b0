package dev.fermata.core.model;

/** A node without a number: what it is called, where it is and what it has. A cluster gives it a slot. */
public record NodeSpec(String name, String rack, GpuType type, int gpus, Node.Host host, NodeInventory inventory) {
    /** The node of a cluster under this number. */
    public static NodeSpec of(Topology topology, int index) {
        Node node = topology.node(index);
        return new NodeSpec(
                node.name(),
                topology.racks().get(node.rack()).name(),
                topology.types().get(node.type()),
                node.gpus(),
                node.host(),
                node.inventory());
    }

    /** The same without any of its GPUs. */
    public NodeSpec removed() {
        return new NodeSpec(name, rack, type, gpus, host, inventory.withAllMissing(gpus));
    }
}
