package dev.fermata.app.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.live.json.RecordJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A history written by hand, as {@code fermata events -o json} writes it, from the beginning of 1970 on. */
final class Written {
    private static final RecordJson RECORDS = new RecordJson();

    private final ObjectMapper json = new ObjectMapper();
    private final ArrayNode events = json.createArrayNode();

    Written submitted(long at, Job job) {
        return line(at, "ann", new Fact.Submitted(job));
    }

    /** On one GPU, running in the same millisecond. */
    Written started(long at, long job, int attempt, int gpu) {
        ObjectNode body = event(at, "policy", "Started");
        body.put("jobId", job).put("attempt", attempt).put("resumed", attempt > 1);
        body.putObject("allocation").putArray("gpus").add(gpu);
        return line(at, "engine", new Fact.Running(job, attempt, 1_000_000));
    }

    Written left(long at, long job, int attempt, Outcome outcome, Usage usage, JobState next) {
        return line(at, "engine", new Fact.Left(job, attempt, outcome, usage, next));
    }

    Written line(long at, String actor, Fact fact) {
        try {
            event(at, actor, fact.getClass().getSimpleName()).setAll((ObjectNode) json.readTree(RECORDS.write(fact)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private ObjectNode event(long at, String actor, String kind) {
        ObjectNode event = events.addObject();
        event.put("seq", events.size());
        event.put("at", Instant.ofEpochMilli(at).toString());
        event.put("actor", actor);
        event.put("kind", kind);
        return event.putObject("body");
    }

    Path to(Path file) throws IOException {
        json.writeValue(file.toFile(), events);
        return file;
    }

    Chronicle chronicle(Path folder) throws IOException {
        return ChronicleReader.read(to(folder.resolve("history.json")), null, Optional.of("fifo"));
    }
}
