package dev.fermata.insight.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Writes the history as one JSON object per line, as it happens. Times are seconds of virtual time. */
public final class EventFileWriter {
    private final AtomicFile file;
    private final JsonGenerator json;
    private final Map<Long, String> names = new HashMap<>();

    public EventFileWriter(AtomicFile file) {
        this.file = file;
        try {
            json = new JsonFactory().createGenerator(file.writer());
        } catch (IOException e) {
            throw file.writeError(e);
        }
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    }

    public void write(long nowMillis, HistoryRecord record) {
        try {
            json.writeStartObject();
            json.writeNumberField("time", BigDecimal.valueOf(nowMillis, 3));
            json.writeStringField("type", typeName(record.type()));
            rememberName(record);
            if (record.jobId() >= 0) {
                json.writeNumberField("job", record.jobId());
                json.writeStringField("name", names.getOrDefault(record.jobId(), ""));
            }
            details(record);
            json.writeEndObject();
        } catch (IOException e) {
            throw file.writeError(e);
        }
    }

    /** Ends the last line. */
    public void finish() {
        try {
            json.flush();
            file.writer().write('\n');
        } catch (IOException e) {
            throw file.writeError(e);
        }
    }

    /** The name is a part of the file format: it stays when the constant is renamed. */
    private static String typeName(HistoryRecord.Type type) {
        return switch (type) {
            case SUBMITTED -> "submitted";
            case JOB_REJECTED -> "jobRejected";
            case STARTED -> "started";
            case RUNNING -> "running";
            case SPEED_CHANGED -> "speedChanged";
            case HELD -> "held";
            case RELEASED -> "released";
            case JOB_UPDATED -> "jobUpdated";
            case QUEUES_SET -> "queuesSet";
            case RESERVED -> "reserved";
            case RESERVATION_RELEASED -> "reservationReleased";
            case PREEMPTING -> "preempting";
            case PREEMPTION_DECLINED -> "preemptionDeclined";
            case PROFILED -> "profiled";
            case CANCELLING -> "cancelling";
            case START_FAILED -> "startFailed";
            case SUSPEND_FAILED -> "suspendFailed";
            case SUSPENSION_ENDED -> "suspensionEnded";
            case ATTEMPT_ENDED -> "attemptEnded";
            case JOB_ENDED -> "jobEnded";
            case CAPACITY_CHANGED -> "capacityChanged";
            case DRAIN_CHANGED -> "drainChanged";
            case NODE_ADDED -> "nodeAdded";
            case NODE_REMOVED -> "nodeRemoved";
            case NODE_CHANGED -> "nodeChanged";
            case REACHABILITY_CHANGED -> "reachabilityChanged";
            case FOREIGN_LOAD_CHANGED -> "foreignLoadChanged";
            case CLUSTER_CHANGED -> "clusterChanged";
            case ACTION_REJECTED -> "actionRejected";
        };
    }

    private void rememberName(HistoryRecord record) {
        if (record instanceof HistoryRecord.JobDescription described) {
            names.put(record.jobId(), described.job().name());
        }
    }

    private void details(HistoryRecord record) throws IOException {
        switch (record.type()) {
            case SUBMITTED -> job(((HistoryRecord.Submitted) record).job());
            case JOB_REJECTED -> {
                HistoryRecord.JobRejected jobRejected = (HistoryRecord.JobRejected) record;
                job(jobRejected.job());
                json.writeStringField("reason", jobRejected.reason().code().name());
                json.writeStringField("message", jobRejected.reason().message());
            }
            case STARTED -> {
                HistoryRecord.Started started = (HistoryRecord.Started) record;
                json.writeNumberField("attempt", started.attempt());
                json.writeBooleanField("resumed", started.resumed());
                allocation(started.allocation());
            }
            case RUNNING -> {
                HistoryRecord.Running running = (HistoryRecord.Running) record;
                json.writeNumberField("attempt", running.attempt());
                json.writeNumberField("speed", BigDecimal.valueOf(running.speedMicro(), 6));
            }
            case SPEED_CHANGED -> {
                HistoryRecord.SpeedChanged speedChanged = (HistoryRecord.SpeedChanged) record;
                json.writeNumberField("attempt", speedChanged.attempt());
                json.writeNumberField("speed", BigDecimal.valueOf(speedChanged.speedMicro(), 6));
            }
            case JOB_UPDATED -> {
                HistoryRecord.JobUpdated jobUpdated = (HistoryRecord.JobUpdated) record;
                job(jobUpdated.job());
                json.writeNumberField("priority", jobUpdated.job().priority());
            }
            case RESERVED -> allocation(((HistoryRecord.Reserved) record).allocation());
            case PREEMPTING -> {
                HistoryRecord.Preempting preempting = (HistoryRecord.Preempting) record;
                json.writeNumberField("attempt", preempting.attempt());
                json.writeNumberField("beneficiary", preempting.beneficiary());
                if (preempting.way() == PreemptWay.SUSPEND) {
                    json.writeStringField("way", "suspend");
                }
                seconds("gainSeconds", preempting.gainMillis());
                seconds("costSeconds", preempting.costMillis());
            }
            case PROFILED -> json.writeNumberField("attempt", ((HistoryRecord.Profiled) record).attempt());
            case PREEMPTION_DECLINED -> {
                HistoryRecord.PreemptionDeclined preemptionDeclined = (HistoryRecord.PreemptionDeclined) record;
                json.writeNumberField("victims", preemptionDeclined.victims());
                seconds("gainSeconds", preemptionDeclined.gainMillis());
                seconds("costSeconds", preemptionDeclined.costMillis());
            }
            case START_FAILED -> {
                HistoryRecord.StartFailed startFailed = (HistoryRecord.StartFailed) record;
                json.writeNumberField("attempt", startFailed.attempt());
                json.writeStringField("cause", startFailed.cause());
                json.writeNumberField("failures", startFailed.failures());
            }
            case SUSPEND_FAILED -> {
                HistoryRecord.SuspendFailed suspendFailed = (HistoryRecord.SuspendFailed) record;
                json.writeNumberField("attempt", suspendFailed.attempt());
                json.writeStringField("cause", suspendFailed.cause());
            }
            case SUSPENSION_ENDED -> {
                HistoryRecord.SuspensionEnded suspensionEnded = (HistoryRecord.SuspensionEnded) record;
                json.writeNumberField("process", suspensionEnded.process());
                json.writeStringField("cause", suspensionEnded.cause());
            }
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded attemptEnded = (HistoryRecord.AttemptEnded) record;
                json.writeNumberField("attempt", attemptEnded.attempt());
                json.writeStringField("outcome", attemptEnded.outcome().name());
                json.writeStringField("state", attemptEnded.next().name());
                usage(attemptEnded.usage());
                forgetIfEnded(attemptEnded.next().isFinal(), attemptEnded.jobId());
            }
            case JOB_ENDED -> {
                HistoryRecord.JobEnded jobEnded = (HistoryRecord.JobEnded) record;
                json.writeStringField("state", jobEnded.state().name());
                forgetIfEnded(jobEnded.state().isFinal(), jobEnded.jobId());
            }
            case CAPACITY_CHANGED -> {
                HistoryRecord.CapacityChanged capacityChanged = (HistoryRecord.CapacityChanged) record;
                json.writeNumberField(capacityChanged.isNode() ? "node" : "gpu", capacityChanged.index());
                json.writeBooleanField("up", capacityChanged.up());
                json.writeNumberField("gpusUp", capacityChanged.gpusUp());
            }
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged drainChanged = (HistoryRecord.DrainChanged) record;
                json.writeNumberField("node", drainChanged.node());
                json.writeBooleanField("drained", drainChanged.drained());
            }
            case NODE_ADDED -> {
                HistoryRecord.NodeAdded nodeAdded = (HistoryRecord.NodeAdded) record;
                json.writeNumberField("node", nodeAdded.node());
                json.writeStringField("name", nodeAdded.spec().name());
                json.writeNumberField("gpusUp", nodeAdded.gpusUp());
            }
            case NODE_REMOVED -> {
                HistoryRecord.NodeRemoved nodeRemoved = (HistoryRecord.NodeRemoved) record;
                json.writeNumberField("node", nodeRemoved.node());
                json.writeNumberField("gpusUp", nodeRemoved.gpusUp());
            }
            case NODE_CHANGED -> {
                HistoryRecord.NodeChanged nodeChanged = (HistoryRecord.NodeChanged) record;
                json.writeNumberField("node", nodeChanged.node());
                json.writeNumberField("gpusUp", nodeChanged.gpusUp());
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged reachability = (HistoryRecord.ReachabilityChanged) record;
                json.writeNumberField("node", reachability.node());
                json.writeBooleanField("reachable", reachability.reachable());
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged foreign = (HistoryRecord.ForeignLoadChanged) record;
                json.writeNumberField("node", foreign.node());
                json.writeNumberField("gpus", foreign.load().gpus().size());
                json.writeNumberField("gpusUp", foreign.gpusUp());
            }
            case CLUSTER_CHANGED -> json.writeNumberField("gpusUp", ((HistoryRecord.ClusterChanged) record).gpusUp());
            case ACTION_REJECTED -> {
                HistoryRecord.ActionRejected actionRejected = (HistoryRecord.ActionRejected) record;
                json.writeStringField("action", actionRejected.action());
                json.writeStringField("rule", actionRejected.rule());
            }
            case HELD, RELEASED, QUEUES_SET, RESERVATION_RELEASED, CANCELLING -> {}
        }
    }

    /** Only the names of live jobs are kept. */
    private void forgetIfEnded(boolean ended, long id) {
        if (ended) {
            names.remove(id);
        }
    }

    private void job(Job job) throws IOException {
        json.writeNumberField("gpus", job.demand().maxGpus());
        json.writeStringField("class", job.jobClass().label());
        json.writeStringField("user", job.user());
        json.writeStringField("queue", job.queue());
    }

    private void allocation(Allocation allocation) throws IOException {
        json.writeNumberField("gpus", allocation.size());
        json.writeStringField("tier", allocation.tier().name().toLowerCase(Locale.ROOT));
        json.writeBooleanField("shared", allocation.shared());
        json.writeArrayFieldStart("gpuIds");
        for (int i = 0; i < allocation.size(); i++) {
            json.writeNumber(allocation.gpu(i));
        }
        json.writeEndArray();
    }

    private void usage(Usage usage) throws IOException {
        seconds("loadSeconds", usage.loadMillis());
        seconds("usefulSeconds", usage.usefulMillis());
        seconds("lostSeconds", usage.lostMillis());
        seconds("preemptSeconds", usage.preemptMillis());
    }

    private void seconds(String key, long millis) throws IOException {
        json.writeNumberField(key, BigDecimal.valueOf(millis, 3));
    }
}
