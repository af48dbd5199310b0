package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.SchedulerSnapshot.DrainedNode;
import dev.fermata.core.contract.SchedulerSnapshot.ForeignNode;
import dev.fermata.core.contract.SchedulerSnapshot.NodeStates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The states of nodes as JSON: drains, silence and the load of others. */
final class ClusterCodec {
    private ClusterCodec() {}

    static ObjectNode drain(ObjectNode body, DrainNote note) {
        if (!note.equals(DrainNote.NONE)) {
            body.put("reason", note.reason()).put("by", note.by());
        }
        return body;
    }

    static DrainNote drain(JsonNode body) {
        return new DrainNote(body.path("reason").asText(), body.path("by").asText());
    }

    static ObjectNode load(ObjectNode body, ForeignLoad load) {
        body.set("gpus", JsonFields.array(load.gpus(), NODES::numberNode));
        return body.put("cpuMilli", load.cpuMilli()).put("memoryMib", load.memoryMib());
    }

    static ForeignLoad load(JsonNode body) {
        return new ForeignLoad(
                JsonFields.list(body.path("gpus"), JsonNode::asInt),
                body.path("cpuMilli").asLong(),
                body.path("memoryMib").asLong());
    }

    /** The drained nodes are numbers, as ever; what is said of them, and rarer states, are left out where there are none. */
    static void write(ObjectNode body, NodeStates nodes) {
        body.set("nodesDown", JsonFields.array(nodes.down(), NODES::numberNode));
        body.set("gpusDown", JsonFields.array(nodes.gpusDown(), NODES::numberNode));
        body.set("drainedNodes", JsonFields.array(nodes.drained(), drained -> NODES.numberNode(drained.node())));
        List<DrainedNode> noted = nodes.drained().stream()
                .filter(drained -> !drained.note().equals(DrainNote.NONE))
                .toList();
        if (!noted.isEmpty()) {
            body.set(
                    "drainNotes",
                    JsonFields.array(
                            noted, drained -> drain(NODES.objectNode().put("node", drained.node()), drained.note())));
        }
        if (!nodes.unreachable().isEmpty()) {
            body.set("unreachableNodes", JsonFields.array(nodes.unreachable(), NODES::numberNode));
        }
        if (!nodes.foreign().isEmpty()) {
            body.set(
                    "foreignLoads",
                    JsonFields.array(
                            nodes.foreign(),
                            foreign -> load(NODES.objectNode().put("node", foreign.node()), foreign.load())));
        }
    }

    static NodeStates read(JsonNode body) {
        Map<Integer, DrainNote> notes = new HashMap<>();
        body.path("drainNotes").forEach(note -> notes.put(note.path("node").asInt(), drain(note)));
        return new NodeStates(
                JsonFields.list(body.path("nodesDown"), JsonNode::asInt),
                JsonFields.list(body.path("gpusDown"), JsonNode::asInt),
                JsonFields.list(
                        body.path("drainedNodes"),
                        node -> new DrainedNode(node.asInt(), notes.getOrDefault(node.asInt(), DrainNote.NONE))),
                JsonFields.list(body.path("unreachableNodes"), JsonNode::asInt),
                JsonFields.list(
                        body.path("foreignLoads"),
                        foreign -> new ForeignNode(foreign.path("node").asInt(), load(foreign))));
    }
}
