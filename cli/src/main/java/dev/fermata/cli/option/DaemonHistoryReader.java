package dev.fermata.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.RecordedHistoryReader;
import dev.fermata.live.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the whole history of a daemon through its API. */
public final class DaemonHistoryReader {
    private static final String PAGE = "1000";

    private DaemonHistoryReader() {}

    /** @param policy that decided, where the user says so; else it is what the daemon runs now */
    public static RecordedHistory fetch(DaemonClient api, Optional<String> policy, Interruption interruption) {
        JsonNode caller = api.get("whoami");
        if (!Role.valueOf(caller.path("role").asText(Role.VIEWER.name())).includes(Role.OPERATOR)) {
            throw UserError.failed("a replay needs the whole history, and the token of "
                    + caller.path("user").asText() + " (" + caller.path("role").asText()
                    + ") shows only part of it.\nUse the token of an operator or an admin in FERMATA_TOKEN.");
        }
        ClusterInput cluster = cluster(api.listAll("nodes"));
        RecordedHistoryReader reader = new RecordedHistoryReader(
                cluster.topology(), api.address().url().toString());
        String cursor = "";
        do {
            JsonNode page = api.get(ApiQuery.to("events")
                    .and("limit", PAGE)
                    .and("cursor", cursor)
                    .toString());
            page.path("items").forEach(reader::read);
            cursor = page.path("next").isNull() ? "" : page.path("next").asText();
            if (interruption.isRequested()) {
                throw UserError.interrupted("interrupted while the history was read");
            }
        } while (!cursor.isEmpty());
        String decides = policy.orElseGet(() -> api.get("diag").path("policy").asText());
        return reader.finish("history", cluster, decides, System.currentTimeMillis(), List.of());
    }

    /** A daemon of before format 3 names no ids. */
    private static NodeInventory inventory(JsonNode node) {
        String name = node.path("name").asText();
        List<String> ids = new ArrayList<>();
        node.path("gpus").forEach(gpu -> {
            if (gpu.hasNonNull("id")) {
                ids.add(gpu.path("id").asText());
            }
        });
        return new NodeInventory(node.path("id").asText(name), ids, List.of());
    }

    private static ClusterInput cluster(List<JsonNode> nodes) {
        Topology.Builder builder = Topology.builder();
        String rack = "";
        for (JsonNode node : nodes) {
            if (!node.path("rack").asText().equals(rack)) {
                rack = node.path("rack").asText();
                builder.rack(rack);
            }
            GpuType type = new GpuType(
                    node.path("type").asText(),
                    node.path("gpuMemoryMib").asInt(),
                    node.path("gpuSpeed").asDouble());
            builder.node(
                    node.path("name").asText(),
                    type,
                    node.path("gpus").size(),
                    node.hasNonNull("cpus") ? Math.round(node.path("cpus").asDouble() * 1000) : Node.UNLIMITED,
                    node.hasNonNull("memoryMib") ? node.path("memoryMib").asLong() : Node.UNLIMITED,
                    inventory(node));
        }
        return ClusterInput.ofHistory(builder.build());
    }
}
