package dev.fermata.insight.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.history.HistoryCodec;
import dev.fermata.insight.input.ClusterInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A history written by hand, as {@code fermata events -o json} writes it, from the beginning of 1970 on. */
final class HistoryFileBuilder {
    private static final HistoryCodec CODEC =
            new HistoryCodec(ClusterInput.parse("1x64").topology());

    private final ObjectMapper json = new ObjectMapper();
    private final ArrayNode events = json.createArrayNode();

    HistoryFileBuilder submitted(long at, Job job) {
        return record(at, "ann", new HistoryRecord.Submitted(job));
    }

    /** On one GPU, running in the same millisecond. */
    HistoryFileBuilder started(long at, long job, int attempt, int gpu) {
        ObjectNode body = event(at, "policy", "Started");
        body.put("jobId", job).put("attempt", attempt).put("resumed", attempt > 1);
        body.putObject("allocation").putArray("gpus").add(gpu);
        return record(at, "engine", new HistoryRecord.Running(job, attempt, 1_000_000));
    }

    HistoryFileBuilder attemptEnded(long at, long job, int attempt, Outcome outcome, Usage usage, JobState next) {
        return record(at, "engine", new HistoryRecord.AttemptEnded(job, attempt, outcome, usage, next));
    }

    HistoryFileBuilder record(long at, String actor, HistoryRecord record) {
        try {
            event(at, actor, HistoryCodec.typeOf(record))
                    .setAll((ObjectNode) json.readTree(CODEC.encode(record, Map.of())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private ObjectNode event(long at, String actor, String type) {
        ObjectNode event = events.addObject();
        event.put("seq", events.size());
        event.put("at", Instant.ofEpochMilli(at).toString());
        event.put("actor", actor);
        event.put("type", type);
        return event.putObject("body");
    }

    Path writeTo(Path file) throws IOException {
        json.writeValue(file.toFile(), events);
        return file;
    }

    RecordedHistory history(Path folder) throws IOException {
        return RecordedHistoryReader.read(writeTo(folder.resolve("history.json")), null, Optional.of("fifo"));
    }
}
