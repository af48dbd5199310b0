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
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

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
        ArrayNode nodes = NODES.arrayNode();
        int rack = -1;
        for (Node node : topology.nodes()) {
            if (node.rack() != rack) {
                rack = node.rack();
                nodes = racks.addObject()
                        .put("name", topology.racks().get(rack).name())
                        .putArray("nodes");
            }
            nodes.add(node(NodeSpec.of(topology, node.index())));
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
    private static ObjectNode node(NodeSpec node) {
        ObjectNode body = NODES.objectNode()
                .put("id", node.inventory().id())
                .put("name", node.name())
                .put("type", node.type().name())
                .put("gpus", node.gpus());
        if (node.host().cpuMilli() < Node.UNLIMITED) {
            body.put("cpuMilli", node.host().cpuMilli());
        }
        if (node.host().memoryMib() < Node.UNLIMITED) {
            body.put("memoryMib", node.host().memoryMib());
        }
        if (!node.inventory().labels().isEmpty()) {
            ObjectNode labels = body.putObject("labels");
            node.inventory().labels().forEach(labels::put);
        }
        if (!node.inventory().gpuIds().isEmpty()) {
            body.set("gpuIds", JsonFields.array(node.inventory().gpuIds(), NODES::textNode));
        }
        if (!node.inventory().missing().isEmpty()) {
            body.set("missing", JsonFields.array(node.inventory().missing(), NODES::numberNode));
        }
        return body;
    }

    /** A node alone: with its rack and all that is known of its GPU type. */
    static ObjectNode writeNode(NodeSpec node) {
        ObjectNode body = node(node).put("rack", node.rack());
        return body.set("type", type(node.type()));
    }

    static NodeSpec readNode(JsonNode node) {
        return new NodeSpec(
                node.path("name").asText(),
                node.path("rack").asText(),
                type(node.path("type")),
                node.path("gpus").asInt(),
                new Node.Host(
                        node.path("cpuMilli").asLong(Node.UNLIMITED),
                        node.path("memoryMib").asLong(Node.UNLIMITED)),
                inventory(node));
    }

    private static NodeInventory inventory(JsonNode node) {
        SortedMap<String, String> labels = new TreeMap<>();
        node.path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return new NodeInventory(
                node.path("id").asText(),
                JsonFields.list(node.path("gpuIds"), JsonNode::asText),
                JsonFields.list(node.path("missing"), JsonNode::asInt),
                labels);
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
                inventory(node));
    }
}
