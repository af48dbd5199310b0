package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.Gpus;
import dev.fermata.core.contract.SchedulerSnapshot.JobSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.LastDeclined;
import dev.fermata.core.contract.SchedulerSnapshot.Progress;
import dev.fermata.core.contract.SchedulerSnapshot.Status;
import dev.fermata.core.contract.SchedulerSnapshot.SuspendState;
import dev.fermata.core.contract.SchedulerSnapshot.Times;
import dev.fermata.core.contract.SuspendTries;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Snapshots as JSON, and snapshots again. Like {@link HistoryCodec} it names every field itself and reads older formats. */
public final class SnapshotCodec {
    private static final ObjectMapper MAPPER = new RecordJson().mapper();
    private static final int INITIAL_CHARS = 1 << 14;

    private SnapshotCodec() {}

    /** Job by job, and only what is not zero: a tree of 100,000 jobs would take ten times the memory of its text. */
    public static String encode(SchedulerSnapshot snapshot) {
        StringWriter text = new StringWriter(INITIAL_CHARS);
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField(HistoryFormat.VERSION_KEY, HistoryFormat.VERSION);
            json.writeObjectFieldStart("scheduler");
            json.writeNumberField("lastRecordMillis", snapshot.lastRecordMillis());
            json.writeArrayFieldStart("jobs");
            for (JobSnapshot job : snapshot.jobs()) {
                MAPPER.writeTree(json, JsonFields.withoutZeros(job(job)));
            }
            json.writeEndArray();
            for (Map.Entry<String, JsonNode> field : cluster(snapshot).properties()) {
                json.writeFieldName(field.getKey());
                MAPPER.writeTree(json, field.getValue());
            }
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("text in memory cannot be written", e);
        }
        return text.toString();
    }

    public static SchedulerSnapshot decode(String text) {
        try (JsonParser json = MAPPER.createParser(text)) {
            if (isCurrent(json)) {
                return read(json);
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the snapshot is not JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("text in memory cannot be read", e);
        }
        ObjectNode body = HistoryCodec.parse(text);
        HistoryFormat.requireReadable(HistoryFormat.versionOf(body), "the snapshot");
        FormatUpgrade.CURRENT.snapshot(body);
        JsonNode scheduler = body.path("scheduler");
        return read(scheduler, JsonFields.list(scheduler.path("jobs"), SnapshotCodec::job));
    }

    /** Whether it begins with the version of this program; then the parser is past it. */
    private static boolean isCurrent(JsonParser json) throws IOException {
        return json.nextToken() == JsonToken.START_OBJECT
                && HistoryFormat.VERSION_KEY.equals(json.nextFieldName())
                && json.nextIntValue(0) == HistoryFormat.VERSION
                && "scheduler".equals(json.nextFieldName())
                && json.nextToken() == JsonToken.START_OBJECT;
    }

    private static SchedulerSnapshot read(JsonParser json) throws IOException {
        List<JobSnapshot> jobs = new ArrayList<>();
        ObjectNode others = NODES.objectNode();
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            json.nextToken();
            if (field.equals("jobs")) {
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    jobs.add(job(json.<JsonNode>readValueAsTree()));
                }
            } else {
                others.set(field, json.<JsonNode>readValueAsTree());
            }
        }
        return read(others, jobs);
    }

    /** All but the jobs and the time. */
    private static ObjectNode cluster(SchedulerSnapshot snapshot) {
        ObjectNode node = NODES.objectNode();
        ClusterCodec.write(node, snapshot.nodes());
        node.set("queueRules", JsonFields.array(snapshot.queueRules(), JobCodec::rule));
        if (!snapshot.startFailures().equals(SchedulerSnapshot.StartFailureState.NONE)) {
            node.set("startFailures", startFailures(snapshot.startFailures()));
        }
        if (snapshot.topology() != null) {
            node.set("cluster", TopologyCodec.write(snapshot.topology()));
        }
        return node;
    }

    private static SchedulerSnapshot read(JsonNode node, List<JobSnapshot> jobs) {
        return new SchedulerSnapshot(
                node.path("lastRecordMillis").asLong(),
                jobs,
                ClusterCodec.read(node),
                JsonFields.list(node.path("queueRules"), JobCodec::rule),
                node.path("cluster").isObject() ? TopologyCodec.read(node.path("cluster")) : null,
                startFailures(node.path("startFailures")));
    }

    private static ObjectNode startFailures(SchedulerSnapshot.StartFailureState state) {
        ObjectNode node = NODES.objectNode();
        node.set(
                "jobs",
                JsonFields.array(
                        state.jobs(),
                        job -> NODES.objectNode()
                                .put("jobId", job.jobId())
                                .put("failures", job.failures())
                                .put("retryAtMillis", job.retryAtMillis())));
        node.set(
                "nodes",
                JsonFields.array(
                        state.nodes(),
                        failures -> NODES.objectNode()
                                .put("node", failures.node())
                                .put("failures", failures.failures())
                                .put("excludedUntilMillis", failures.excludedUntilMillis())));
        return node;
    }

    private static SchedulerSnapshot.StartFailureState startFailures(JsonNode node) {
        return new SchedulerSnapshot.StartFailureState(
                JsonFields.list(
                        node.path("jobs"),
                        job -> new SchedulerSnapshot.JobStartFailures(
                                job.path("jobId").asLong(),
                                job.path("failures").asInt(),
                                job.path("retryAtMillis").asLong())),
                JsonFields.list(
                        node.path("nodes"),
                        failures -> new SchedulerSnapshot.NodeStartFailures(
                                failures.path("node").asInt(),
                                failures.path("failures").asInt(),
                                failures.path("excludedUntilMillis").asLong())));
    }

    private static ObjectNode job(JobSnapshot job) {
        ObjectNode node = NODES.objectNode();
        node.set("job", JobCodec.write(job.job()));
        node.put("state", ConstantNames.JOB_STATES.of(job.state()));
        node.put("attempt", job.attempt());
        node.put("submittedMillis", job.submittedMillis());
        node.put("fifoKeyMillis", job.fifoKeyMillis());
        node.put("queuedMillis", job.queuedMillis());
        node.put("startedMillis", job.startedMillis());
        node.put("runningMillis", job.runningMillis());
        node.put("attainedMillis", job.attainedMillis());
        node.put("attainedGpuMillis", job.attainedGpuMillis());
        node.put("savedWorkMillis", job.savedWorkMillis());
        node.put("peakWorkMillis", job.peakWorkMillis());
        node.put("speedMicro", job.speedMicro());
        node.put("speedSinceMillis", job.speedSinceMillis());
        node.put("attemptWorkMicro", job.attemptWorkMicro());
        node.put("preemptions", job.preemptions());
        node.put("outOfMemory", job.outOfMemory());
        node.put("cancelling", job.cancelling());
        node.put("onHold", job.onHold());
        node.set("held", gpus(job.held()));
        node.set("reservation", gpus(job.reservation()));
        node.set("lastDeclined", declined(job.lastDeclined()));
        if (!job.suspend().equals(SuspendState.NONE)) {
            node.set("suspend", suspend(job.suspend()));
        }
        return node;
    }

    private static JobSnapshot job(JsonNode node) {
        return new JobSnapshot(
                JobCodec.read(node.path("job")),
                new Status(
                        ConstantNames.JOB_STATES.read(node, "state"),
                        node.path("attempt").asInt(),
                        node.path("preemptions").asInt(),
                        node.path("outOfMemory").asInt(),
                        node.path("cancelling").asBoolean(),
                        node.path("onHold").asBoolean()),
                new Times(
                        node.path("submittedMillis").asLong(),
                        node.path("fifoKeyMillis").asLong(),
                        node.path("queuedMillis").asLong(),
                        node.path("startedMillis").asLong(),
                        node.path("runningMillis").asLong()),
                new Progress(
                        node.path("attainedMillis").asLong(),
                        node.path("attainedGpuMillis").asLong(),
                        node.path("savedWorkMillis").asLong(),
                        node.path("peakWorkMillis").asLong(),
                        node.path("speedMicro").asLong(),
                        node.path("speedSinceMillis").asLong(),
                        node.path("attemptWorkMicro").asLong()),
                gpus(node.path("held")),
                gpus(node.path("reservation")),
                declined(node.path("lastDeclined")),
                node.path("suspend").isObject() ? suspend(node.path("suspend")) : SuspendState.NONE);
    }

    private static ObjectNode suspend(SuspendState state) {
        ObjectNode node = NODES.objectNode();
        node.put("suspending", state.suspending());
        node.put("failed", state.tries().refused());
        if (state.tries().failures() > 0) {
            node.put("failures", state.tries().failures());
            node.put("retryMillis", state.tries().retryMillis());
        }
        node.put("process", state.process());
        node.put("unsavedMillis", state.unsavedMillis());
        node.put("memoryMibPerGpu", state.memoryMibPerGpu());
        node.set("gpus", gpus(state.gpus()));
        return node;
    }

    private static SuspendState suspend(JsonNode node) {
        return new SuspendState(
                node.path("suspending").asBoolean(),
                new SuspendTries(
                        node.path("failures").asInt(),
                        node.path("retryMillis").asLong(),
                        node.path("failed").asBoolean()),
                node.path("process").asInt(),
                node.path("unsavedMillis").asLong(),
                gpus(node.path("gpus")),
                node.path("memoryMibPerGpu").asLong());
    }

    private static JsonNode gpus(@Nullable Gpus gpus) {
        if (gpus == null) {
            return NODES.nullNode();
        }
        ObjectNode node = NODES.objectNode();
        node.set("numbers", JsonFields.array(gpus.numbers(), NODES::numberNode));
        return node.put("shared", gpus.shared());
    }

    private static @Nullable Gpus gpus(JsonNode node) {
        return node.isObject()
                ? new Gpus(
                        JsonFields.list(node.path("numbers"), JsonNode::asInt),
                        node.path("shared").asBoolean())
                : null;
    }

    private static JsonNode declined(@Nullable LastDeclined declined) {
        if (declined == null) {
            return NODES.nullNode();
        }
        ObjectNode node = NODES.objectNode();
        return node.put("atMillis", declined.atMillis())
                .put("victims", declined.victims())
                .put("gainMillis", declined.gainMillis())
                .put("costMillis", declined.costMillis());
    }

    private static @Nullable LastDeclined declined(JsonNode node) {
        return node.isObject()
                ? new LastDeclined(
                        node.path("atMillis").asLong(),
                        node.path("victims").asInt(),
                        node.path("gainMillis").asLong(),
                        node.path("costMillis").asLong())
                : null;
    }
}
