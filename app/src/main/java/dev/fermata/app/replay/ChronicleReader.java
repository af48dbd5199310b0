package dev.fermata.app.replay;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.Role;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.store.Line;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a history: from a daemon through its API, or from a file that {@code fermata events -o json} wrote. */
public final class ChronicleReader {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PAGE = "1000";
    /** What {@code fermata up} decides by when nobody says otherwise. */
    private static final String USUAL_POLICY = "fermata";

    private final List<Happened> lines = new ArrayList<>();
    private final FactLines facts;
    private final String source;
    private long lastSeq;

    private ChronicleReader(Topology topology, String source) {
        this.facts = new FactLines(topology);
        this.source = source;
    }

    /** @param policy that decided, where the user says so; else it is what the daemon runs now */
    public static Chronicle from(Door door, Optional<String> policy, Interruption interruption) {
        JsonNode who = door.get("whoami");
        if (!Role.valueOf(who.path("role").asText(Role.VIEWER.name())).covers(Role.OPERATOR)) {
            throw Complaint.failed("a replay needs the whole history, and the token of "
                    + who.path("user").asText() + " (" + who.path("role").asText()
                    + ") shows only part of it.\nUse the token of an operator or an admin in FERMATA_TOKEN.");
        }
        ClusterInput cluster = cluster(door.all("nodes"));
        ChronicleReader reader =
                new ChronicleReader(cluster.topology(), door.address().url().toString());
        String cursor = "";
        do {
            JsonNode page = door.get(
                    Query.to("events").and("limit", PAGE).and("cursor", cursor).toString());
            page.path("items").forEach(reader::read);
            cursor = page.path("next").isNull() ? "" : page.path("next").asText();
            if (interruption.asked()) {
                throw Complaint.interrupted("interrupted while the history was read");
            }
        } while (!cursor.isEmpty());
        String decides = policy.orElseGet(() -> door.get("diag").path("policy").asText());
        return new Chronicle("history", cluster, checked(decides), reader.lines, System.currentTimeMillis(), List.of());
    }

    private static ClusterInput cluster(List<JsonNode> nodes) {
        Topology.Builder builder = Topology.builder();
        String rack = "";
        int gpus = 0;
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
                    node.hasNonNull("memoryMib") ? node.path("memoryMib").asLong() : Node.UNLIMITED);
            gpus += node.path("gpus").size();
        }
        return new ClusterInput(nodes.size() + "x" + gpus / Math.max(1, nodes.size()), builder.build());
    }

    /** @param cluster where it happened; where nobody says so, one node with all the GPUs that are named in it */
    public static Chronicle read(Path file, @Nullable ClusterInput cluster, Optional<String> policy) {
        List<JsonNode> events = new ArrayList<>();
        try (MappingIterator<JsonNode> all = JSON.readerFor(JsonNode.class).readValues(file.toFile())) {
            while (all.hasNextValue()) {
                events.add(all.nextValue());
            }
        } catch (JacksonException e) {
            throw Complaint.invalid(
                    "'" + file + line(e) + "' is not JSON as 'fermata events -o json' writes it: "
                            + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw Complaint.invalid("--events (" + file + ") cannot be read: " + e.getMessage(), e);
        }
        List<String> remarks = new ArrayList<>();
        ClusterInput where = cluster;
        if (where == null) {
            where = ClusterInput.parse("1x" + gpus(events));
            remarks.add("the file does not say on which cluster it happened; " + where.name()
                    + " is assumed (another: --cluster)");
        }
        if (policy.isEmpty()) {
            remarks.add("the file does not say which policy decided; " + USUAL_POLICY + " is assumed (another: --was)");
        }
        ChronicleReader reader = new ChronicleReader(where.topology(), "'" + file + "'");
        events.forEach(reader::read);
        long end = reader.lines.isEmpty()
                ? 0
                : reader.lines.get(reader.lines.size() - 1).atMillis();
        return new Chronicle(
                file.getFileName().toString(), where, checked(policy.orElse(USUAL_POLICY)), reader.lines, end, remarks);
    }

    private static String line(JacksonException e) {
        return e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
    }

    private static String checked(String policy) {
        return Complaint.ifInvalid(() -> PolicySpec.parse(policy)).text();
    }

    private static int gpus(List<JsonNode> events) {
        int most = 1;
        for (JsonNode event : events) {
            for (JsonNode gpu : event.path("body").path("allocation").path("gpus")) {
                most = Math.max(most, gpu.asInt() + 1);
            }
            most = Math.max(most, event.path("body").path("gpusUp").asInt());
        }
        return most;
    }

    private void read(JsonNode event) {
        long seq = event.path("seq").asLong();
        if (!event.hasNonNull("kind")
                || !event.hasNonNull("at")
                || !event.path("body").isObject()) {
            throw Complaint.invalid(
                    "a line of " + source + " (" + shortened(event)
                            + ") is none of a history: seq, at, actor, kind and body are expected, as 'fermata events -o json' writes them");
        }
        if (seq <= lastSeq) {
            throw Complaint.invalid("line " + seq + " of " + source + " comes after line " + lastSeq
                    + "; a history is written oldest first, each line once");
        }
        lastSeq = seq;
        try {
            long at = Instant.parse(event.path("at").asText()).toEpochMilli();
            JsonNode body = event.path("body");
            Optional<Fact> fact = facts.fact(new Line(
                    seq,
                    at,
                    event.path("job").asLong(-1),
                    0,
                    "",
                    event.path("kind").asText(),
                    body.toString()));
            fact.ifPresent(f -> lines.add(new Happened(at, event.path("actor").asText(), f, said(body))));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw Complaint.invalid("line " + seq + " of " + source + ": " + e.getMessage(), e);
        }
    }

    private static Said said(JsonNode body) {
        JsonNode progress = body.path("progress");
        if (progress.isMissingNode()) {
            return Said.NOTHING;
        }
        JsonNode measured = body.path("measured");
        long steps = progress.path("step").asLong() > 0 ? progress.path("total").asLong() : 0;
        return new Said(
                steps,
                Math.max(0, steps - Math.max(0, measured.path("savedStep").asLong())),
                Math.max(0, measured.path("iterationMicros").asLong()),
                progress.path("knownMillis").asLong());
    }

    private static String shortened(JsonNode event) {
        String text = event.toString();
        return text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
}
