package dev.fermata.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The durable format against golden files. {@code v1} was written by Fermata 0.1.0, {@code v2} by this version: a change of these
 * files is a change of the format and needs a new version, a step in {@link FormatUpgrade} and golden files of its own.
 */
class HistoryFormatTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Topology CLUSTER = Topology.builder()
            .node(new GpuType("T", 1000, 1.0), 4)
            .node(new GpuType("T", 1000, 1.0), 8)
            .build();

    private final HistoryCodec codec = new HistoryCodec(CLUSTER);

    @Test
    void entriesOfFormat1ReadAsThoseOfFormat2() throws IOException {
        List<JsonNode> now = lines("v2/entries.jsonl");
        List<JsonNode> before = lines("v1/entries.jsonl");
        assertThat(before).hasSameSizeAs(now);
        Set<HistoryRecord.Type> seen = EnumSet.noneOf(HistoryRecord.Type.class);
        for (int i = 0; i < now.size(); i++) {
            HistoryRecord old = decode(before.get(i));
            seen.add(old.type());
            assertThat(old).isEqualTo(decode(now.get(i)));
            Format1To2.EntryText upgraded = Format1To2.entry(new Format1To2.EntryText(
                    before.get(i).path("type").asText(),
                    before.get(i).path("body").toString()));
            assertThat(upgraded.type()).isEqualTo(now.get(i).path("type").asText());
            assertThat(JSON.readTree(upgraded.body())).isEqualTo(now.get(i).path("body"));
        }
        assertThat(seen).containsExactlyInAnyOrder(HistoryRecord.Type.values());
    }

    @Test
    void entriesAreWrittenAsInTheGoldenFile() throws IOException {
        for (JsonNode line : lines("v2/entries.jsonl")) {
            HistoryRecord entry = decode(line);
            assertThat(HistoryCodec.typeOf(entry)).isEqualTo(line.path("type").asText());
            assertThat(codec.encode(entry, Map.of()))
                    .isEqualTo(line.path("body").toString());
        }
    }

    @Test
    void snapshotsAreWrittenAsInTheGoldenFileAndReadFromBothFormats() throws IOException {
        String now = text("v2/snapshot.json").strip();
        SchedulerSnapshot snapshot = SnapshotCodec.decode(now);
        assertThat(SnapshotCodec.encode(snapshot)).isEqualTo(now);
        assertThat(SnapshotCodec.decode(text("v1/snapshot.json"))).isEqualTo(snapshot);
    }

    /** In format 1 a drained node is down as well. */
    @Test
    void drainedNodesOfFormat1AreNoLongerDown() {
        SchedulerSnapshot snapshot = SnapshotCodec.decode("{\"v\":1,\"ledger\":{\"nodesDown\":[0,2]},\"drained\":[2]}");
        assertThat(snapshot.nodesDown()).containsExactly(0);
        assertThat(snapshot.drainedNodes()).containsExactly(2);
    }

    @Test
    void aNewerFormatIsRefusedWithAClearMessage() throws IOException {
        HistoryEntry entry = new HistoryEntry(41, 0, 7, 2, "engine", "Running", "{\"v\":3,\"jobId\":7,\"attempt\":2}");
        assertThatThrownBy(() -> codec.decode(entry))
                .isInstanceOf(HistoryFormat.NewerFormatException.class)
                .hasMessageContaining("entry 41")
                .hasMessageContaining("format 3")
                .hasMessageContaining("reads up to 2");
        String snapshot = text("v2/snapshot.json").replaceFirst("\"v\":2", "\"v\":9");
        assertThatThrownBy(() -> SnapshotCodec.decode(snapshot)).hasMessageContaining("format 9");
    }

    @Test
    void namesThatUsersGaveAreNotRenamed() {
        assertThat(
                        Format1To2.value(
                                "{\"after\":[],\"env\":{\"after\":\"x\",\"beside\":\"y\"},\"locality\":{\"want\":\"node\",\"waitMillis\":-1}}"))
                .isEqualTo(
                        "{\"dependencies\":[],\"env\":{\"after\":\"x\",\"beside\":\"y\"},\"locality\":{\"want\":\"node\",\"waitMillis\":-1}}");
        assertThat(Format1To2.value("")).isEmpty();
    }

    private HistoryRecord decode(JsonNode line) {
        return codec.decode(new HistoryEntry(
                        1,
                        0,
                        1,
                        1,
                        "policy",
                        line.path("type").asText(),
                        line.path("body").toString()))
                .orElseThrow();
    }

    private static List<JsonNode> lines(String name) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text(name).lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    private static String text(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(HistoryFormatTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
