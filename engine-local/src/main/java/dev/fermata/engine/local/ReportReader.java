package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.history.RecordJson;
import dev.fermata.live.engine.EngineEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a job appends to its report file. The job may write anything: invalid and overlong lines are skipped, and an
 * oversized file is truncated. Of several steps at once only the last is returned.
 */
final class ReportReader {
    private static final int MAX_LINE = 4 * 1024;
    private static final int MAX_NAME = 64;
    private static final int MAX_MEMORY_MIB = 100_000_000;
    private static final double MAX_SECONDS = 366 * 86_400.0;
    private static final int MAX_READ_BYTES = 1 << 20;
    private static final long MAX_FILE_BYTES = 8L << 20;
    private static final Set<String> TYPES = Set.of("hello", "loaded", "step", "saving", "saved", "finished");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final RecordJson RECORDS = new RecordJson();

    private final LongSupplier requested;
    private final Path file;
    private final Path summary;
    /** As daemons of 0.1.0 called it; an attempt that one of them started may have it. */
    private final Path oldSummary;

    private long offset;
    private final StringBuilder partialLine = new StringBuilder();
    private boolean skipping;
    private AttemptEnding.ReportedMilestones milestones = AttemptEnding.ReportedMilestones.NONE;
    private AttemptPhases phases = AttemptPhases.NONE;

    /** What a later daemon must know of truncated lines. */
    private record SavedReportState(AttemptEnding.ReportedMilestones milestones, AttemptPhases phases) {}

    /** @param requested when it got the signal to exit; never before */
    ReportReader(Path folder, LongSupplier requested) {
        this.requested = requested;
        this.file = folder.resolve("report");
        this.summary = folder.resolve("report-summary");
        this.oldSummary = folder.resolve("said");
    }

    /** What the attempt has reported so far. It counts as loaded only after its warm-up. */
    synchronized AttemptEnding.ReportedMilestones milestones() {
        return new AttemptEnding.ReportedMilestones(
                milestones.helloMillis(),
                milestones.loadedMillis() < 0 ? -1 : Math.max(milestones.loadedMillis(), phases.readyMillis()),
                milestones.savedMillis(),
                milestones.finished());
    }

    synchronized AttemptPhases phases() {
        return phases;
    }

    /** Restores the state of lines that an earlier daemon truncated. */
    synchronized void restore() {
        Path saved = Files.exists(summary, LinkOption.NOFOLLOW_LINKS) ? summary : oldSummary;
        try {
            if (Files.isRegularFile(saved, LinkOption.NOFOLLOW_LINKS) && Files.size(saved) <= MAX_READ_BYTES) {
                SavedReportState known = RECORDS.read(Files.readString(saved), SavedReportState.class);
                milestones = known.milestones();
                phases = known.phases();
            }
        } catch (IOException | IllegalArgumentException e) {
            milestones = AttemptEnding.ReportedMilestones.NONE; // the rest of the file has to do
            phases = AttemptPhases.NONE;
        }
    }

    /** The reports since the last poll, oldest first; {@code nowMillis} bounds the times that a job claims. */
    synchronized List<EngineEvent.JobReport> poll(long nowMillis) throws IOException {
        List<EngineEvent.JobReport> event = new ArrayList<>();
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return event;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < offset) {
                offset = 0; // the job has rewritten it
                partialLine.setLength(0);
            }
            ByteBuffer buffer =
                    ByteBuffer.allocate((int) Math.min(MAX_READ_BYTES, Math.max(0, channel.size() - offset)));
            int read = 0;
            while (buffer.hasRemaining() && read >= 0) {
                read = channel.read(buffer, offset + buffer.position());
            }
            offset += buffer.position();
            consume(new String(buffer.array(), 0, buffer.position(), UTF_8), nowMillis, event);
        } catch (NoSuchFileException e) {
            return event;
        }
        if (offset > MAX_FILE_BYTES) {
            truncate();
        }
        return event;
    }

    private void consume(String text, long nowMillis, List<EngineEvent.JobReport> event) {
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            partialLine.append(text, from, Math.min(end, from + MAX_LINE + 1));
            if (!skipping && partialLine.length() <= MAX_LINE) {
                EngineEvent.JobReport report = parse(partialLine.toString(), nowMillis);
                if (report != null) {
                    apply(report);
                    if (report.type().equals("step")
                            && !event.isEmpty()
                            && event.get(event.size() - 1).type().equals("step")) {
                        event.remove(event.size() - 1);
                    }
                    event.add(report);
                }
            }
            partialLine.setLength(0);
            skipping = false;
            from = end + 1;
        }
        partialLine.append(text, from, Math.min(text.length(), from + MAX_LINE + 1));
        if (partialLine.length() > MAX_LINE) {
            partialLine.setLength(0);
            skipping = true;
        }
    }

    private void apply(EngineEvent.JobReport report) {
        phases = phases.apply(report, report.atMillis() >= requested.getAsLong());
        long at = report.atMillis();
        milestones = switch (report.type()) {
            case "hello" ->
                new AttemptEnding.ReportedMilestones(
                        first(milestones.helloMillis(), at),
                        milestones.loadedMillis(),
                        milestones.savedMillis(),
                        milestones.finished());
            case "loaded", "step" ->
                new AttemptEnding.ReportedMilestones(
                        milestones.helloMillis(),
                        first(milestones.loadedMillis(), at),
                        milestones.savedMillis(),
                        milestones.finished());
            case "saved" ->
                new AttemptEnding.ReportedMilestones(
                        milestones.helloMillis(),
                        milestones.loadedMillis(),
                        Math.max(milestones.savedMillis(), at),
                        milestones.finished());
            case "finished" ->
                new AttemptEnding.ReportedMilestones(
                        milestones.helloMillis(), milestones.loadedMillis(), milestones.savedMillis(), true);
            default -> milestones;
        };
    }

    private static long first(long known, long now) {
        return known >= 0 ? known : now;
    }

    static EngineEvent.@Nullable JobReport parse(String line, long nowMillis) {
        JsonNode node;
        try {
            node = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return null;
        }
        if (node == null || !node.isObject()) {
            return null;
        }
        // Copies of the helper of 0.1.0 write "kind".
        String type = (node.has("type") ? node.path("type") : node.path("kind")).asText("");
        if (!TYPES.contains(type)) {
            return null;
        }
        long at = node.path("at").isNumber() ? node.path("at").asLong() : nowMillis;
        String metric = node.path("metric").asText("");
        JsonNode value = node.path("value");
        return new EngineEvent.JobReport(
                Math.max(0, Math.min(at, nowMillis)),
                type,
                Math.max(0, node.path("step").asLong(0)),
                Math.max(0, node.path("total").asLong(0)),
                new EngineEvent.ReportedMetric(
                        SingleLine.of(metric, MAX_NAME), value.isNumber() ? value.asDouble() : Double.NaN),
                new EngineEvent.ReportedFigures(
                        (int) clamp(node.path("memoryMib").asLong(0), MAX_MEMORY_MIB),
                        (int) clamp(Math.round(1000 * node.path("busy").asDouble(0)), 1000),
                        node.path("seconds").isNumber() ? scaled(node.path("seconds"), 1e3) : -1,
                        scaled(node.path("iteration"), 1e6),
                        clamp(node.path("bytes").asLong(0), Long.MAX_VALUE),
                        clamp(node.path("up").asLong(0), nowMillis)));
    }

    /** Seconds in a finer unit; a year at most, whatever a job claims. */
    private static long scaled(JsonNode seconds, double unit) {
        return Math.round(Math.max(0, Math.min(seconds.asDouble(0), MAX_SECONDS)) * unit);
    }

    private static long clamp(long value, long max) {
        return Math.max(0, Math.min(value, max));
    }

    /** Empties the file after its state is saved; writers continue at its new end. */
    private void truncate() throws IOException {
        Files.writeString(summary, RECORDS.write(new SavedReportState(milestones, phases)) + "\n");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.truncate(0);
        }
        offset = 0;
        partialLine.setLength(0);
        skipping = false;
    }
}
