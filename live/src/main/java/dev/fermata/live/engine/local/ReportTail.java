package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.live.engine.News;
import dev.fermata.live.json.RecordJson;
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
 * Reads what a job appends to its report file. The job may write anything: lines that are too long or make no sense are passed
 * over, and a file that grows without end is cut back. Of many steps at once only the last is told.
 */
final class ReportTail {
    private static final int LONGEST_LINE = 4 * 1024;
    private static final int LONGEST_NAME = 64;
    private static final int MOST_MEMORY_MIB = 100_000_000;
    private static final double LONGEST_SECONDS = 366 * 86_400.0;
    private static final int AT_ONCE = 1 << 20;
    private static final long LARGEST_FILE = 8L << 20;
    private static final Set<String> KINDS = Set.of("hello", "loaded", "step", "saving", "saved", "finished");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final RecordJson RECORDS = new RecordJson();

    private final LongSupplier asked;
    private final Path file;
    private final Path summary;
    private long offset;
    private final StringBuilder carried = new StringBuilder();
    private boolean skipping;
    private Ending.Reports said = Ending.Reports.NONE;
    private Phases phases = Phases.NONE;

    /** What a daemon that comes later must know of lines that were cut off. */
    private record Summary(Ending.Reports said, Phases phases) {}

    /** @param asked when it was asked to leave; never, until it was */
    ReportTail(Path folder, LongSupplier asked) {
        this.asked = asked;
        this.file = folder.resolve("report");
        this.summary = folder.resolve("said");
    }

    /** What the attempt has said so far. It counts as loaded when it has also warmed up. */
    synchronized Ending.Reports said() {
        return new Ending.Reports(
                said.helloMillis(),
                said.loadedMillis() < 0 ? -1 : Math.max(said.loadedMillis(), phases.readyMillis()),
                said.savedMillis(),
                said.finished());
    }

    synchronized Phases phases() {
        return phases;
    }

    /** Reads what an earlier daemon read and cut off. */
    synchronized void recall() {
        try {
            if (Files.isRegularFile(summary, LinkOption.NOFOLLOW_LINKS) && Files.size(summary) <= AT_ONCE) {
                Summary known = RECORDS.read(Files.readString(summary), Summary.class);
                said = known.said();
                phases = known.phases();
            }
        } catch (IOException | IllegalArgumentException e) {
            said = Ending.Reports.NONE; // then what the file itself says must do
            phases = Phases.NONE;
        }
    }

    /** The news since the last look, oldest first; {@code nowMillis} bounds the times that a job claims. */
    synchronized List<News.Report> poll(long nowMillis) throws IOException {
        List<News.Report> news = new ArrayList<>();
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return news;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < offset) {
                offset = 0; // the job began it anew
                carried.setLength(0);
            }
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(AT_ONCE, Math.max(0, channel.size() - offset)));
            int read = 0;
            while (buffer.hasRemaining() && read >= 0) {
                read = channel.read(buffer, offset + buffer.position());
            }
            offset += buffer.position();
            take(new String(buffer.array(), 0, buffer.position(), UTF_8), nowMillis, news);
        } catch (NoSuchFileException e) {
            return news;
        }
        if (offset > LARGEST_FILE) {
            cut();
        }
        return news;
    }

    private void take(String text, long nowMillis, List<News.Report> news) {
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            carried.append(text, from, Math.min(end, from + LONGEST_LINE + 1));
            if (!skipping && carried.length() <= LONGEST_LINE) {
                News.Report report = parse(carried.toString(), nowMillis);
                if (report != null) {
                    hear(report);
                    if (report.kind().equals("step")
                            && !news.isEmpty()
                            && news.get(news.size() - 1).kind().equals("step")) {
                        news.remove(news.size() - 1);
                    }
                    news.add(report);
                }
            }
            carried.setLength(0);
            skipping = false;
            from = end + 1;
        }
        carried.append(text, from, Math.min(text.length(), from + LONGEST_LINE + 1));
        if (carried.length() > LONGEST_LINE) {
            carried.setLength(0);
            skipping = true;
        }
    }

    private void hear(News.Report report) {
        phases = phases.after(report, report.atMillis() >= asked.getAsLong());
        long at = report.atMillis();
        said = switch (report.kind()) {
            case "hello" ->
                new Ending.Reports(
                        first(said.helloMillis(), at), said.loadedMillis(), said.savedMillis(), said.finished());
            case "loaded", "step" ->
                new Ending.Reports(
                        said.helloMillis(), first(said.loadedMillis(), at), said.savedMillis(), said.finished());
            case "saved" ->
                new Ending.Reports(
                        said.helloMillis(), said.loadedMillis(), Math.max(said.savedMillis(), at), said.finished());
            case "finished" -> new Ending.Reports(said.helloMillis(), said.loadedMillis(), said.savedMillis(), true);
            default -> said;
        };
    }

    private static long first(long known, long now) {
        return known >= 0 ? known : now;
    }

    static News.@Nullable Report parse(String line, long nowMillis) {
        JsonNode node;
        try {
            node = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return null;
        }
        if (node == null || !node.isObject()) {
            return null;
        }
        String kind = node.path("kind").asText("");
        if (!KINDS.contains(kind)) {
            return null;
        }
        long at = node.path("at").isNumber() ? node.path("at").asLong() : nowMillis;
        String metric = node.path("metric").asText("");
        JsonNode value = node.path("value");
        return new News.Report(
                Math.max(0, Math.min(at, nowMillis)),
                kind,
                Math.max(0, node.path("step").asLong(0)),
                Math.max(0, node.path("total").asLong(0)),
                OneLine.of(metric, LONGEST_NAME),
                value.isNumber() ? value.asDouble() : Double.NaN,
                (int) within(node.path("memoryMib").asLong(0), MOST_MEMORY_MIB),
                (int) within(Math.round(1000 * node.path("busy").asDouble(0)), 1000),
                node.path("seconds").isNumber() ? scaled(node.path("seconds"), 1e3) : -1,
                scaled(node.path("iteration"), 1e6),
                within(node.path("bytes").asLong(0), Long.MAX_VALUE),
                within(node.path("up").asLong(0), nowMillis));
    }

    /** Seconds in a finer unit; a year at most, whatever a job claims. */
    private static long scaled(JsonNode seconds, double unit) {
        return Math.round(Math.max(0, Math.min(seconds.asDouble(0), LONGEST_SECONDS)) * unit);
    }

    private static long within(long value, long most) {
        return Math.max(0, Math.min(value, most));
    }

    /** Empties the file after what it said was written down; whoever appends goes on at its new end. */
    private void cut() throws IOException {
        Files.writeString(summary, RECORDS.write(new Summary(said, phases)) + "\n");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.truncate(0);
        }
        offset = 0;
        carried.setLength(0);
        skipping = false;
    }
}
