package dev.fermata.insight.replay;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.RecordJson;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ClusterInput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a history: from a daemon through its API, or from a file that {@code fermata events -o json} wrote. */
public final class RecordedHistoryReader {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The default policy of {@code fermata up}. */
    private static final String DEFAULT_POLICY = "fermata";

    private final List<RecordedEntry> entries = new ArrayList<>();
    private final List<RecordedHistory.Observation> observed = new ArrayList<>();
    private final HistoryCodec codec;
    private final RecordedLosses losses;
    private final String source;
    private long lastSeq;

    public RecordedHistoryReader(Topology topology, String source) {
        this.codec = new HistoryCodec(topology);
        this.losses = new RecordedLosses(topology);
        this.source = source;
    }

    /** The history read so far, as of {@code endMillis}. */
    public RecordedHistory finish(
            String name, ClusterInput cluster, String policy, long endMillis, List<String> remarks) {
        return new RecordedHistory(name, cluster, checkedPolicy(policy), entries, endMillis, remarks, observed);
    }

    /**
     * @param cluster the recorded cluster; if absent, the one that the history describes. A history of before format 3
     *     describes none: it gets one node with all the GPUs that it names
     */
    public static RecordedHistory read(Path file, @Nullable ClusterInput cluster, Optional<String> policy) {
        List<JsonNode> events = new ArrayList<>();
        try (MappingIterator<JsonNode> all = JSON.readerFor(JsonNode.class).readValues(file.toFile())) {
            while (all.hasNextValue()) {
                events.add(all.nextValue());
            }
        } catch (JacksonException e) {
            throw UserError.invalid(
                    "'" + file + lineSuffix(e) + "' is not JSON as 'fermata events -o json' writes it: "
                            + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw UserError.invalid("--events (" + file + ") cannot be read: " + e.getMessage(), e);
        }
        List<String> remarks = new ArrayList<>();
        ClusterInput where = cluster;
        if (where == null) {
            where = recordedCluster(events, "'" + file + "'");
        }
        if (where == null) {
            where = ClusterInput.parse("1x" + gpus(events));
            remarks.add("the file does not name its cluster; " + where.name() + " is assumed (another: --cluster)");
        }
        if (policy.isEmpty()) {
            remarks.add("the file does not name its policy; " + DEFAULT_POLICY + " is assumed (another: --was)");
        }
        RecordedHistoryReader reader = new RecordedHistoryReader(where.topology(), "'" + file + "'");
        events.forEach(reader::read);
        long end = reader.entries.isEmpty()
                ? 0
                : reader.entries.get(reader.entries.size() - 1).atMillis();
        return new RecordedHistory(
                file.getFileName().toString(),
                where,
                checkedPolicy(policy.orElse(DEFAULT_POLICY)),
                reader.entries,
                end,
                remarks,
                reader.observed);
    }

    private static String lineSuffix(JacksonException e) {
        return e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr();
    }

    private static String checkedPolicy(String policy) {
        return UserError.wrapInvalid(() -> PolicySpec.parse(policy)).text();
    }

    /** The last cluster has the numbers of all before it: they are only appended. */
    private static @Nullable ClusterInput recordedCluster(List<JsonNode> events, String source) {
        Topology cluster = null;
        for (JsonNode event : events) {
            HistoryEntry entry = new HistoryEntry(
                    event.path("seq").asLong(),
                    0,
                    -1,
                    0,
                    "",
                    event.path("type").asText(),
                    event.path("body").toString());
            try {
                cluster = HistoryCodec.clusterAfter(cluster, entry);
            } catch (IllegalArgumentException e) {
                throw UserError.invalid("entry " + entry.seq() + " of " + source + ": " + e.getMessage(), e);
            }
        }
        return cluster == null ? null : ClusterInput.ofHistory(cluster);
    }

    private static int gpus(List<JsonNode> events) {
        int max = 1;
        for (JsonNode event : events) {
            for (JsonNode gpu : event.path("body").path("allocation").path("gpus")) {
                max = Math.max(max, gpu.asInt() + 1);
            }
            max = Math.max(max, event.path("body").path("gpusUp").asInt());
        }
        return max;
    }

    /** Adds one entry of the history, as {@code fermata events -o json} writes it. */
    public void read(JsonNode event) {
        long seq = event.path("seq").asLong();
        String type = event.path("type").asText(event.path("kind").asText()); // 0.1.0 wrote kind
        if (type.isEmpty() || !event.hasNonNull("at") || !event.path("body").isObject()) {
            throw UserError.invalid(
                    source + ": (" + shortened(event)
                            + ") is not a history entry. An entry has seq, at, actor, type and body, as 'fermata events -o json' writes them");
        }
        if (seq <= lastSeq) {
            throw UserError.invalid("entry " + seq + " of " + source + " comes after entry " + lastSeq
                    + "; a history is written oldest first, each entry once");
        }
        lastSeq = seq;
        try {
            long at = Instant.parse(event.path("at").asText()).toEpochMilli();
            JsonNode body = event.path("body");
            if (type.equals(ObservedJob.TYPE)) {
                ObservedJob job = new RecordJson().readStored(body.toString(), ObservedJob.class);
                observed.add(
                        new RecordedHistory.Observation(at, event.path("job").asLong(-1), job));
                return;
            }
            Optional<HistoryRecord> record =
                    codec.decode(new HistoryEntry(seq, at, event.path("job").asLong(-1), 0, "", type, body.toString()));
            record.ifPresent(decoded -> losses.translate(decoded)
                    .forEach(part -> entries.add(
                            new RecordedEntry(at, event.path("actor").asText(), part, reportedProgress(body)))));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw UserError.invalid("entry " + seq + " of " + source + ": " + e.getMessage(), e);
        }
    }

    private static StepProgress reportedProgress(JsonNode body) {
        JsonNode progress = body.path("progress");
        if (progress.isMissingNode()) {
            return StepProgress.NONE;
        }
        JsonNode measured = body.path("measured");
        long steps = progress.path("step").asLong() > 0 ? progress.path("total").asLong() : 0;
        return new StepProgress(
                steps,
                Math.max(0, steps - Math.max(0, measured.path("savedStep").asLong())),
                Math.max(0, measured.path("iterationMicros").asLong()),
                progress.path("estimableSinceMillis").asLong());
    }

    private static String shortened(JsonNode event) {
        String text = event.toString();
        return text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
}
