package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.Topology;
import java.util.List;

/** Clusters as JSON, and clusters again: what each number of a node or a GPU means. Nodes are written rack by rack. */
final class TopologyCodec {
    private TopologyCodec() {}

    static ObjectNode write(Topology topology) {
        ObjectNode cluster = NODES.objectNode();
        cluster.set("types", JsonFields.array(topology.types(), TopologyCodec::type));
        ObjectNode network = cluster.putObject("network");
        network.set("node", link(topology.network().node()));
        network.set("rack", link(topology.network().rack()));
        network.set("spine", link(topology.network().spine()));
        ArrayNode racks = cluster.putArray("racks");
        for (Rack rack : topology.racks()) {
            ArrayNode nodes = racks.addObject().put("name", rack.name()).putArray("nodes");
            for (int node = rack.firstNode(); node < rack.endNode(); node++) {
                nodes.add(node(topology, topology.node(node)));
            }
        }
        long limit = topology.node(0).suspendMemoryMib();
        if (limit != topology.node(0).memoryMib()) {
            cluster.put("suspendMemoryMib", limit);
        }
        return cluster;
    }

    static Topology read(JsonNode cluster) {
        List<GpuType> types = JsonFields.list(cluster.path("types"), TopologyCodec::type);
        JsonNode network = cluster.path("network");
        Topology.Builder builder = Topology.builder()
                .network(new Network(
                        link(network.path("node")), link(network.path("rack")), link(network.path("spine"))));
        for (JsonNode rack : cluster.path("racks")) {
            builder.rack(rack.path("name").asText());
            rack.path("nodes").forEach(node -> addNode(builder, types, node));
        }
        Topology read = builder.build();
        JsonNode limit = cluster.path("suspendMemoryMib");
        return limit.isNumber() ? read.withSuspendMemoryMib(limit.asLong()) : read;
    }

    private static ObjectNode type(GpuType type) {
        return NODES.objectNode()
                .put("name", type.name())
                .put("memoryMib", type.memoryMib())
                .put("speed", type.speed());
    }

    private static GpuType type(JsonNode type) {
        return new GpuType(
                type.path("name").asText(),
                type.path("memoryMib").asInt(),
                type.path("speed").asDouble());
    }

    private static ObjectNode link(Link link) {
        return NODES.objectNode()
                .put("gigabytesPerSecond", link.gigabytesPerSecond())
                .put("latencyMicros", link.latencyMicros());
    }

    private static Link link(JsonNode link) {
        return new Link(
                link.path("gigabytesPerSecond").asDouble(),
                link.path("latencyMicros").asDouble());
    }

    /** Amounts that a node does not state are left out; GPUs without ids of their own are only counted. */
    private static ObjectNode node(Topology topology, Node node) {
        ObjectNode body = NODES.objectNode()
                .put("id", node.id())
                .put("name", node.name())
                .put("type", topology.types().get(node.type()).name())
                .put("gpus", node.gpus());
        if (node.cpuMilli() < Node.UNLIMITED) {
            body.put("cpuMilli", node.cpuMilli());
        }
        if (node.memoryMib() < Node.UNLIMITED) {
            body.put("memoryMib", node.memoryMib());
        }
        if (!node.inventory().gpuIds().isEmpty()) {
            body.set("gpuIds", JsonFields.array(node.inventory().gpuIds(), NODES::textNode));
        }
        if (!node.inventory().missing().isEmpty()) {
            body.set("missing", JsonFields.array(node.inventory().missing(), NODES::numberNode));
        }
        return body;
    }

    private static void addNode(Topology.Builder builder, List<GpuType> types, JsonNode node) {
        String type = node.path("type").asText();
        GpuType known = types.stream()
                .filter(candidate -> candidate.name().equals(type))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "node (" + node.path("name").asText() + ") of the cluster has GPUs of type (" + type
                                + "), which the cluster does not describe"));
        builder.node(
                node.path("name").asText(),
                known,
                node.path("gpus").asInt(),
                node.path("cpuMilli").asLong(Node.UNLIMITED),
                node.path("memoryMib").asLong(Node.UNLIMITED),
                new NodeInventory(
                        node.path("id").asText(),
                        JsonFields.list(node.path("gpuIds"), JsonNode::asText),
                        JsonFields.list(node.path("missing"), JsonNode::asInt)));
    }
}
