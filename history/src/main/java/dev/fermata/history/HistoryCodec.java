package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * History records as JSON bodies of entries, and records again. Names of types and fields are written out here: they are the format,
 * not the names of Java classes. Annotations for people ({@code exit}, {@code progress}) are skipped when a record is read.
 */
public final class HistoryCodec {
    private static final RecordJson ANNOTATIONS = new RecordJson();
    private static final Map<String, HistoryRecord.Type> TYPES = types();

    private final Supplier<Topology> cluster;

    /** @param topology the cluster whose GPUs the records number */
    public HistoryCodec(Topology topology) {
        this(() -> topology);
    }

    /** @param cluster asked for each record, where the cluster may still grow */
    public HistoryCodec(Supplier<Topology> cluster) {
        this.cluster = cluster;
    }

    /** JSON of values that are not records of the history. */
    public RecordJson json() {
        return ANNOTATIONS;
    }

    public static String typeOf(HistoryRecord entry) {
        return nameOf(entry.type());
    }

    /** How entries with records of this type are called. */
    public static String nameOf(HistoryRecord.Type type) {
        return switch (type) {
            case SUBMITTED -> "Submitted";
            case JOB_REJECTED -> "JobRejected";
            case STARTED -> "Started";
            case RUNNING -> "Running";
            case SPEED_CHANGED -> "SpeedChanged";
            case HELD -> "Held";
            case RELEASED -> "Released";
            case JOB_UPDATED -> "JobUpdated";
            case QUEUES_SET -> "QueuesSet";
            case RESERVED -> "Reserved";
            case RESERVATION_RELEASED -> "ReservationReleased";
            case PREEMPTING -> "Preempting";
            case PREEMPTION_DECLINED -> "PreemptionDeclined";
            case PROFILED -> "Profiled";
            case CANCELLING -> "Cancelling";
            case START_FAILED -> "StartFailed";
            case SUSPEND_FAILED -> "SuspendFailed";
            case SUSPENSION_ENDED -> "SuspensionEnded";
            case ATTEMPT_ENDED -> "AttemptEnded";
            case JOB_ENDED -> "JobEnded";
            case CAPACITY_CHANGED -> "CapacityChanged";
            case DRAIN_CHANGED -> "DrainChanged";
            case NODE_ADDED -> "NodeAdded";
            case NODE_REMOVED -> "NodeRemoved";
            case NODE_CHANGED -> "NodeChanged";
            case REACHABILITY_CHANGED -> "ReachabilityChanged";
            case FOREIGN_LOAD_CHANGED -> "ForeignLoadChanged";
            case CLUSTER_CHANGED -> "ClusterChanged";
            case ACTION_REJECTED -> "ActionRejected";
        };
    }

    /** The type of record in an entry of this format; empty for entries that hold something else. */
    public static Optional<HistoryRecord.Type> typeOf(HistoryEntry entry) {
        return Optional.ofNullable(TYPES.get(entry.type()));
    }

    private static Map<String, HistoryRecord.Type> types() {
        Map<String, HistoryRecord.Type> types = new LinkedHashMap<>();
        for (HistoryRecord.Type type : HistoryRecord.Type.values()) {
            types.put(nameOf(type), type);
        }
        return types;
    }

    /** The body of an entry, with annotations for people. */
    public String encode(HistoryRecord entry, Map<String, Object> annotations) {
        ObjectNode body = write(entry);
        annotations.forEach((name, value) -> body.set(name, ANNOTATIONS.mapper().valueToTree(value)));
        return body.toString();
    }

    private static ObjectNode write(HistoryRecord entry) {
        ObjectNode body = NODES.objectNode();
        body.put(HistoryFormat.VERSION_KEY, HistoryFormat.VERSION);
        return switch (entry.type()) {
            case SUBMITTED -> body.set("job", JobCodec.write(((HistoryRecord.Submitted) entry).job()));
            case JOB_UPDATED -> body.set("job", JobCodec.write(((HistoryRecord.JobUpdated) entry).job()));
            case JOB_REJECTED -> {
                HistoryRecord.JobRejected r = (HistoryRecord.JobRejected) entry;
                body.set("job", JobCodec.write(r.job()));
                yield body.set("reason", reason(r.reason()));
            }
            case STARTED -> {
                HistoryRecord.Started r = (HistoryRecord.Started) entry;
                attempt(body, r.jobId(), r.attempt()).set("allocation", allocation(r.allocation()));
                yield body.put("resumed", r.resumed());
            }
            case RUNNING -> {
                HistoryRecord.Running r = (HistoryRecord.Running) entry;
                yield attempt(body, r.jobId(), r.attempt()).put("speedMicro", r.speedMicro());
            }
            case SPEED_CHANGED -> {
                HistoryRecord.SpeedChanged r = (HistoryRecord.SpeedChanged) entry;
                yield attempt(body, r.jobId(), r.attempt()).put("speedMicro", r.speedMicro());
            }
            case HELD, RELEASED, RESERVATION_RELEASED -> body.put("jobId", entry.jobId());
            case QUEUES_SET ->
                body.set("rules", JsonFields.array(((HistoryRecord.QueuesSet) entry).rules(), JobCodec::rule));
            case RESERVED -> {
                HistoryRecord.Reserved r = (HistoryRecord.Reserved) entry;
                yield body.put("jobId", r.jobId()).set("allocation", allocation(r.allocation()));
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting r = (HistoryRecord.Preempting) entry;
                attempt(body, r.jobId(), r.attempt())
                        .put("beneficiary", r.beneficiary())
                        .put("gainMillis", r.gainMillis())
                        .put("costMillis", r.costMillis());
                yield r.way() == PreemptWay.CHECKPOINT ? body : body.put("way", ConstantNames.WAYS.of(r.way()));
            }
            case PREEMPTION_DECLINED -> {
                HistoryRecord.PreemptionDeclined r = (HistoryRecord.PreemptionDeclined) entry;
                yield body.put("jobId", r.jobId())
                        .put("victims", r.victims())
                        .put("gainMillis", r.gainMillis())
                        .put("costMillis", r.costMillis());
            }
            case PROFILED -> attempt(body, entry.jobId(), ((HistoryRecord.Profiled) entry).attempt());
            case CANCELLING -> attempt(body, entry.jobId(), ((HistoryRecord.Cancelling) entry).attempt());
            case START_FAILED -> {
                HistoryRecord.StartFailed r = (HistoryRecord.StartFailed) entry;
                yield attempt(body, r.jobId(), r.attempt())
                        .put("cause", r.cause())
                        .put("failures", r.failures())
                        .put("retryAtMillis", r.retryAtMillis())
                        .put("node", r.node())
                        .put("excludedUntilMillis", r.excludedUntilMillis());
            }
            case SUSPEND_FAILED -> {
                HistoryRecord.SuspendFailed r = (HistoryRecord.SuspendFailed) entry;
                attempt(body, r.jobId(), r.attempt())
                        .put("speedMicro", r.speedMicro())
                        .put("cause", r.cause());
                yield r.lasting() ? body.put("lasting", true) : body;
            }
            case SUSPENSION_ENDED -> {
                HistoryRecord.SuspensionEnded r = (HistoryRecord.SuspensionEnded) entry;
                yield body.put("jobId", r.jobId())
                        .put("process", r.process())
                        .put("savedWorkMillis", r.savedWorkMillis())
                        .put("cause", r.cause());
            }
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded r = (HistoryRecord.AttemptEnded) entry;
                attempt(body, r.jobId(), r.attempt()).put("outcome", ConstantNames.OUTCOMES.of(r.outcome()));
                yield body.<ObjectNode>set("usage", usage(r.usage()))
                        .put("next", ConstantNames.JOB_STATES.of(r.next()));
            }
            case JOB_ENDED ->
                body.put("jobId", entry.jobId())
                        .put("state", ConstantNames.JOB_STATES.of(((HistoryRecord.JobEnded) entry).state()));
            case CAPACITY_CHANGED -> {
                HistoryRecord.CapacityChanged r = (HistoryRecord.CapacityChanged) entry;
                yield body.put("isNode", r.isNode())
                        .put("index", r.index())
                        .put("up", r.up())
                        .put("gpusUp", r.gpusUp());
            }
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged r = (HistoryRecord.DrainChanged) entry;
                yield ClusterCodec.drain(body.put("node", r.node()).put("drained", r.drained()), r.note());
            }
            case NODE_ADDED -> {
                HistoryRecord.NodeAdded r = (HistoryRecord.NodeAdded) entry;
                body.put("node", r.node()).set("spec", TopologyCodec.writeNode(r.spec()));
                yield body.put("gpusUp", r.gpusUp());
            }
            case NODE_REMOVED -> {
                HistoryRecord.NodeRemoved r = (HistoryRecord.NodeRemoved) entry;
                yield body.put("node", r.node()).put("gpusUp", r.gpusUp());
            }
            case NODE_CHANGED -> {
                HistoryRecord.NodeChanged r = (HistoryRecord.NodeChanged) entry;
                body.put("node", r.node()).set("spec", TopologyCodec.writeNode(r.spec()));
                yield body.put("gpusUp", r.gpusUp());
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged r = (HistoryRecord.ReachabilityChanged) entry;
                yield body.put("node", r.node()).put("reachable", r.reachable());
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged r = (HistoryRecord.ForeignLoadChanged) entry;
                yield ClusterCodec.load(body.put("node", r.node()), r.load()).put("gpusUp", r.gpusUp());
            }
            case CLUSTER_CHANGED -> {
                HistoryRecord.ClusterChanged r = (HistoryRecord.ClusterChanged) entry;
                yield body.put("gpusUp", r.gpusUp()).set("cluster", TopologyCodec.write(r.topology()));
            }
            case ACTION_REJECTED -> {
                HistoryRecord.ActionRejected r = (HistoryRecord.ActionRejected) entry;
                yield body.put("jobId", r.jobId()).put("action", r.action()).put("rule", r.rule());
            }
        };
    }

    /** The record of an entry of this format or an older one; empty for entries that hold something else. */
    public Optional<HistoryRecord> decode(HistoryEntry entry) {
        ObjectNode body = parse(entry.body());
        HistoryFormat.requireReadable(HistoryFormat.versionOf(body), "entry " + entry.seq() + " of the history");
        HistoryRecord.Type type = TYPES.get(FormatUpgrade.CURRENT.entry(entry.type(), body));
        return type == null ? Optional.empty() : Optional.of(read(type, body));
    }

    /** The cluster that an entry describes; empty for entries that describe none. Needs no cluster to read the numbers of. */
    public static Optional<Topology> clusterOf(HistoryEntry entry) {
        if (!entry.type().equals(nameOf(HistoryRecord.Type.CLUSTER_CHANGED))) {
            return Optional.empty();
        }
        ObjectNode body = parse(entry.body());
        HistoryFormat.requireReadable(HistoryFormat.versionOf(body), "entry " + entry.seq() + " of the history");
        return Optional.of(TopologyCodec.read(body.path("cluster")));
    }

    /**
     * The cluster after an entry, from the one before it; null while none is described. Numbers keep their meaning, so the last
     * cluster of a history has the numbers of all before it.
     */
    public static @Nullable Topology clusterAfter(@Nullable Topology before, HistoryEntry entry) {
        HistoryRecord.Type type = TYPES.get(entry.type());
        if (type == HistoryRecord.Type.CLUSTER_CHANGED) {
            return clusterOf(entry).orElseThrow();
        }
        boolean added = type == HistoryRecord.Type.NODE_ADDED;
        if (before == null
                || !(added || type == HistoryRecord.Type.NODE_CHANGED || type == HistoryRecord.Type.NODE_REMOVED)) {
            return before;
        }
        ObjectNode body = parse(entry.body());
        HistoryFormat.requireReadable(HistoryFormat.versionOf(body), "entry " + entry.seq() + " of the history");
        int node = body.path("node").asInt();
        return before.withNode(
                node,
                type == HistoryRecord.Type.NODE_REMOVED
                        ? NodeSpec.of(before, node).removed()
                        : TopologyCodec.readNode(body.path("spec")));
    }

    private HistoryRecord read(HistoryRecord.Type type, JsonNode body) {
        long job = body.path("jobId").asLong();
        int attempt = body.path("attempt").asInt();
        return switch (type) {
            case SUBMITTED -> new HistoryRecord.Submitted(JobCodec.read(body.path("job")));
            case JOB_UPDATED -> new HistoryRecord.JobUpdated(JobCodec.read(body.path("job")));
            case JOB_REJECTED ->
                new HistoryRecord.JobRejected(JobCodec.read(body.path("job")), reason(body.path("reason")));
            case STARTED ->
                new HistoryRecord.Started(
                        job,
                        attempt,
                        allocation(body.path("allocation")),
                        body.path("resumed").asBoolean());
            case RUNNING ->
                new HistoryRecord.Running(job, attempt, body.path("speedMicro").asLong());
            case SPEED_CHANGED ->
                new HistoryRecord.SpeedChanged(
                        job, attempt, body.path("speedMicro").asLong());
            case HELD -> new HistoryRecord.Held(job);
            case RELEASED -> new HistoryRecord.Released(job);
            case QUEUES_SET -> new HistoryRecord.QueuesSet(JsonFields.list(body.path("rules"), JobCodec::rule));
            case RESERVED -> new HistoryRecord.Reserved(job, allocation(body.path("allocation")));
            case RESERVATION_RELEASED -> new HistoryRecord.ReservationReleased(job);
            case PREEMPTING ->
                new HistoryRecord.Preempting(
                        job,
                        attempt,
                        body.path("beneficiary").asLong(),
                        body.path("gainMillis").asLong(),
                        body.path("costMillis").asLong(),
                        ConstantNames.WAYS.read(body, "way", PreemptWay.CHECKPOINT));
            case PREEMPTION_DECLINED ->
                new HistoryRecord.PreemptionDeclined(
                        job,
                        body.path("victims").asInt(),
                        body.path("gainMillis").asLong(),
                        body.path("costMillis").asLong());
            case PROFILED -> new HistoryRecord.Profiled(job, attempt);
            case CANCELLING -> new HistoryRecord.Cancelling(job, attempt);
            case START_FAILED ->
                new HistoryRecord.StartFailed(
                        job,
                        attempt,
                        body.path("cause").asText(),
                        body.path("failures").asInt(),
                        body.path("retryAtMillis").asLong(),
                        body.path("node").asInt(),
                        body.path("excludedUntilMillis").asLong());
            case SUSPEND_FAILED ->
                new HistoryRecord.SuspendFailed(
                        job,
                        attempt,
                        body.path("speedMicro").asLong(),
                        body.path("cause").asText(),
                        body.path("lasting").asBoolean());
            case SUSPENSION_ENDED ->
                new HistoryRecord.SuspensionEnded(
                        job,
                        body.path("process").asInt(),
                        body.path("savedWorkMillis").asLong(),
                        body.path("cause").asText());
            case ATTEMPT_ENDED ->
                new HistoryRecord.AttemptEnded(
                        job,
                        attempt,
                        ConstantNames.OUTCOMES.read(body, "outcome"),
                        usage(body.path("usage")),
                        ConstantNames.JOB_STATES.read(body, "next"));
            case JOB_ENDED -> new HistoryRecord.JobEnded(job, ConstantNames.JOB_STATES.read(body, "state"));
            case CAPACITY_CHANGED ->
                new HistoryRecord.CapacityChanged(
                        body.path("isNode").asBoolean(),
                        body.path("index").asInt(),
                        body.path("up").asBoolean(),
                        body.path("gpusUp").asInt());
            case DRAIN_CHANGED ->
                new HistoryRecord.DrainChanged(
                        body.path("node").asInt(), body.path("drained").asBoolean(), ClusterCodec.drain(body));
            case NODE_ADDED ->
                new HistoryRecord.NodeAdded(
                        body.path("node").asInt(),
                        TopologyCodec.readNode(body.path("spec")),
                        body.path("gpusUp").asInt());
            case NODE_REMOVED ->
                new HistoryRecord.NodeRemoved(
                        body.path("node").asInt(), body.path("gpusUp").asInt());
            case NODE_CHANGED ->
                new HistoryRecord.NodeChanged(
                        body.path("node").asInt(),
                        TopologyCodec.readNode(body.path("spec")),
                        body.path("gpusUp").asInt());
            case REACHABILITY_CHANGED ->
                new HistoryRecord.ReachabilityChanged(
                        body.path("node").asInt(), body.path("reachable").asBoolean());
            case FOREIGN_LOAD_CHANGED ->
                new HistoryRecord.ForeignLoadChanged(
                        body.path("node").asInt(),
                        ClusterCodec.load(body),
                        body.path("gpusUp").asInt());
            case CLUSTER_CHANGED ->
                new HistoryRecord.ClusterChanged(
                        TopologyCodec.read(body.path("cluster")),
                        body.path("gpusUp").asInt());
            case ACTION_REJECTED ->
                new HistoryRecord.ActionRejected(
                        job, body.path("action").asText(), body.path("rule").asText());
        };
    }

    private static ObjectNode attempt(ObjectNode body, long job, int attempt) {
        return body.put("jobId", job).put("attempt", attempt);
    }

    static ObjectNode parse(String text) {
        try {
            if (ANNOTATIONS.mapper().readTree(text) instanceof ObjectNode node) {
                return node;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON (" + e.getOriginalMessage() + "): " + text, e);
        }
        throw new IllegalArgumentException("not a JSON object: " + text);
    }

    /** The format has the fields of every reason; a rejected job has only this one. */
    private static ObjectNode reason(PendingReason.Unsatisfiable reason) {
        ObjectNode node = NODES.objectNode();
        return node.put("jobId", reason.jobId())
                .put("code", "UNSATISFIABLE")
                .put("needed", reason.neededGpus())
                .put("available", reason.availableGpus())
                .put("ahead", 0)
                .put("untilMillis", -1);
    }

    private static PendingReason.Unsatisfiable reason(JsonNode node) {
        return new PendingReason.Unsatisfiable(
                node.path("jobId").asLong(),
                node.path("needed").asInt(),
                node.path("available").asInt());
    }

    private static ObjectNode usage(Usage usage) {
        ObjectNode node = NODES.objectNode();
        return node.put("loadMillis", usage.loadMillis())
                .put("usefulMillis", usage.usefulMillis())
                .put("lostMillis", usage.lostMillis())
                .put("preemptMillis", usage.preemptMillis())
                .put("communicationMillis", usage.communicationMillis())
                .put("savedWorkMillis", usage.savedWorkMillis());
    }

    private static Usage usage(JsonNode node) {
        return new Usage(
                node.path("loadMillis").asLong(),
                node.path("usefulMillis").asLong(),
                node.path("lostMillis").asLong(),
                node.path("preemptMillis").asLong(),
                node.path("communicationMillis").asLong(),
                node.path("savedWorkMillis").asLong());
    }

    private static ObjectNode allocation(Allocation allocation) {
        ObjectNode node = NODES.objectNode();
        var gpus = node.putArray("gpus");
        for (int gpu : allocation.toArray()) {
            gpus.add(gpu);
        }
        return allocation.shared() ? node.put("shared", true) : node;
    }

    private Allocation allocation(JsonNode node) {
        Topology topology = cluster.get();
        JsonNode gpus = node.path("gpus");
        int[] numbers = new int[gpus.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = gpus.get(i).asInt();
            if (numbers[i] < 0 || numbers[i] >= topology.gpuCount()) {
                throw new IllegalArgumentException("gpu " + numbers[i]
                        + " of the history is not part of this cluster, which has " + topology.gpuCount());
            }
        }
        return Allocation.of(topology, numbers, node.path("shared").asBoolean(false));
    }
}
