package dev.fermata.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns bodies of format 1 (Fermata 0.1.0) into bodies of format 2, in place. Format 2 renames types, fields and two constants.
 * Maps whose keys users or models name are left alone.
 *
 * <p>Format 1 has no drained nodes: a drain is a node that goes down, and another entry next to it says that it is a drain. No engine
 * of 0.1.0 reported the failure of a node, so every node that goes down in such a history was drained.
 */
public final class Format1To2 implements FormatStep {
    private static final int TO = 2;

    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("Promised", "Reserved"),
            Map.entry("Unpromised", "ReservationReleased"),
            Map.entry("Pausing", "Preempting"),
            Map.entry("Refrained", "PreemptionDeclined"),
            Map.entry("Paced", "SpeedChanged"),
            Map.entry("Changed", "JobUpdated"),
            Map.entry("Left", "AttemptEnded"),
            Map.entry("Ended", "JobEnded"),
            Map.entry("Refused", "JobRejected"),
            Map.entry("Rejected", "ActionRejected"),
            Map.entry("Capacity", "CapacityChanged"),
            Map.entry("Foreseen", "StartPredicted"),
            Map.entry("Shown", "AttemptMeasured"),
            Map.entry("Drained", "DrainChanged"));

    private static final Map<String, String> FIELDS = Map.ofEntries(
            Map.entry("paceMicro", "speedMicro"),
            Map.entry("paceSinceMillis", "speedSinceMillis"),
            Map.entry("after", "dependencies"),
            Map.entry("wanted", "condition"),
            Map.entry("bundle", "array"),
            Map.entry("atMost", "maxRunning"),
            Map.entry("trial", "profileFirst"),
            Map.entry("enough", "sufficientTier"),
            Map.entry("pauseMillis", "preemptMillis"),
            Map.entry("stretchBeside", "coRunSlowdown"),
            Map.entry("factMillis", "lastRecordMillis"),
            Map.entry("ticketMillis", "fifoKeyMillis"),
            Map.entry("mostWorkMillis", "peakWorkMillis"),
            Map.entry("promise", "reservation"),
            Map.entry("declined", "lastDeclined"),
            Map.entry("ledger", "scheduler"),
            Map.entry("verdict", "reason"),
            Map.entry("keptByPause", "keptByPreemption"),
            Map.entry("beside", "coRuns"),
            Map.entry("learned", "profileUpdate"),
            Map.entry("unsound", "unusable"),
            Map.entry("instead", "replaces"),
            Map.entry("shortage", "exhaustedResource"),
            Map.entry("knownMillis", "estimableSinceMillis"),
            Map.entry("everyMillis", "intervalMillis"),
            Map.entry("latest", "samples"),
            Map.entry("said", "overrides"));

    /** Fields whose new name depends on the object they are in: its old name, a dot, the old field. */
    private static final Map<String, String> SCOPED_FIELDS = Map.of(
            "trial.kind", "profileKey",
            "learned.kind", "profileKey",
            "progress.kind", "type",
            "verdict.reason", "code",
            "locality.waitMillis", "maxWaitMillis");

    private static final Map<String, String> CONSTANTS = Map.of("PAUSING", "PREEMPTING", "PAUSED", "PREEMPTED");
    private static final Set<String> FIELDS_OF_CONSTANTS = Set.of("state", "next", "outcome");

    /** Maps whose keys are names given by users or models. */
    private static final Set<String> FREE_KEYS = Set.of("env", "speedByType", "stretchBeside");

    private static final Format1To2 STEP = new Format1To2();

    Format1To2() {}

    @Override
    public int from() {
        return 1;
    }

    @Override
    public String entry(String type, ObjectNode body) {
        if (type.equals("Capacity") && body.path("isNode").asBoolean()) {
            int node = body.path("index").asInt();
            boolean drained = !body.path("up").asBoolean();
            body.removeAll();
            body.put(HistoryFormat.VERSION_KEY, TO).put("node", node).put("drained", drained);
            return "DrainChanged";
        }
        rename(body, "");
        body.put(HistoryFormat.VERSION_KEY, TO);
        return TYPES.getOrDefault(type, type);
    }

    /** The snapshot of a daemon. Its drained nodes become part of the scheduler's state, and are no longer down. */
    @Override
    public void snapshot(ObjectNode body) {
        rename(body, "");
        JsonNode drained = body.remove("drained");
        if (drained != null && body.get("scheduler") instanceof ObjectNode scheduler) {
            List<Integer> drainedNodes = JsonFields.list(drained, JsonNode::asInt);
            List<Integer> nodesDown = JsonFields.list(scheduler.path("nodesDown"), JsonNode::asInt);
            nodesDown.removeAll(drainedNodes);
            scheduler.set("nodesDown", JsonFields.array(nodesDown, JsonFields.NODES::numberNode));
            scheduler.set("drainedNodes", drained);
        }
        body.put(HistoryFormat.VERSION_KEY, TO);
    }

    /** JSON text of any other stored value: job specs, measurements, profiles. Empty text stays empty. */
    public static String value(String text) {
        if (text.isBlank()) {
            return text;
        }
        ObjectNode node = HistoryCodec.parse(text);
        rename(node, "");
        return node.toString();
    }

    /** Type and text of an entry. */
    public record EntryText(String type, String body) {}

    public static EntryText entry(EntryText old) {
        ObjectNode node = HistoryCodec.parse(old.body());
        String type = STEP.entry(old.type(), node);
        return new EntryText(type, node.toString());
    }

    /** The text of a snapshot. */
    public static String snapshot(String text) {
        ObjectNode node = HistoryCodec.parse(text);
        STEP.snapshot(node);
        return node.toString();
    }

    private static void rename(JsonNode node, String scope) {
        if (node instanceof ArrayNode array) {
            array.forEach(element -> rename(element, scope));
        } else if (node instanceof ObjectNode object && !FREE_KEYS.contains(scope)) {
            rename(object, scope);
        }
    }

    private static void rename(ObjectNode object, String scope) {
        // A job's locality has a tier that suffices; the locality that a user asks for in a job file keeps its names.
        boolean asUsersWrite = scope.equals("locality") && !object.has("enough");
        List<Map.Entry<String, JsonNode>> fields = new ArrayList<>();
        object.properties().forEach(field -> fields.add(Map.entry(field.getKey(), field.getValue())));
        object.removeAll();
        for (Map.Entry<String, JsonNode> field : fields) {
            String old = field.getKey();
            rename(field.getValue(), old);
            String name =
                    asUsersWrite ? old : SCOPED_FIELDS.getOrDefault(scope + "." + old, FIELDS.getOrDefault(old, old));
            object.set(name, constant(old, field.getValue()));
        }
    }

    private static JsonNode constant(String field, JsonNode value) {
        String now = FIELDS_OF_CONSTANTS.contains(field) && value.isTextual() ? CONSTANTS.get(value.asText()) : null;
        return now == null ? value : TextNode.valueOf(now);
    }
}
