package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.Gpus;
import dev.fermata.core.contract.SchedulerSnapshot.JobSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.LastDeclined;
import dev.fermata.core.contract.SchedulerSnapshot.Progress;
import dev.fermata.core.contract.SchedulerSnapshot.Status;
import dev.fermata.core.contract.SchedulerSnapshot.Times;
import org.jspecify.annotations.Nullable;

/** Snapshots as JSON, and snapshots again. Like {@link HistoryCodec} it names every field itself and reads older formats. */
public final class SnapshotCodec {
    private SnapshotCodec() {}

    public static String encode(SchedulerSnapshot snapshot) {
        ObjectNode body = NODES.objectNode();
        body.put(HistoryFormat.VERSION_KEY, HistoryFormat.VERSION);
        body.set("scheduler", scheduler(snapshot));
        return body.toString();
    }

    public static SchedulerSnapshot decode(String text) {
        ObjectNode body = HistoryCodec.parse(text);
        HistoryFormat.requireReadable(HistoryFormat.versionOf(body), "the snapshot");
        FormatUpgrade.CURRENT.snapshot(body);
        return scheduler(body.path("scheduler"));
    }

    private static ObjectNode scheduler(SchedulerSnapshot snapshot) {
        ObjectNode node = NODES.objectNode();
        node.put("lastRecordMillis", snapshot.lastRecordMillis());
        node.set("jobs", JsonFields.array(snapshot.jobs(), SnapshotCodec::job));
        node.set("nodesDown", JsonFields.array(snapshot.nodesDown(), NODES::numberNode));
        node.set("gpusDown", JsonFields.array(snapshot.gpusDown(), NODES::numberNode));
        node.set("drainedNodes", JsonFields.array(snapshot.drainedNodes(), NODES::numberNode));
        node.set("queueRules", JsonFields.array(snapshot.queueRules(), JobCodec::rule));
        if (snapshot.topology() != null) {
            node.set("cluster", TopologyCodec.write(snapshot.topology()));
        }
        return node;
    }

    private static SchedulerSnapshot scheduler(JsonNode node) {
        return new SchedulerSnapshot(
                node.path("lastRecordMillis").asLong(),
                JsonFields.list(node.path("jobs"), SnapshotCodec::job),
                JsonFields.list(node.path("nodesDown"), JsonNode::asInt),
                JsonFields.list(node.path("gpusDown"), JsonNode::asInt),
                JsonFields.list(node.path("drainedNodes"), JsonNode::asInt),
                JsonFields.list(node.path("queueRules"), JobCodec::rule),
                node.path("cluster").isObject() ? TopologyCodec.read(node.path("cluster")) : null);
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
                declined(node.path("lastDeclined")));
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
