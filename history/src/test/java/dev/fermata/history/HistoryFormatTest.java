package dev.fermata.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
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
 * The durable format against golden files. {@code v1} was written by Fermata 0.1.0, {@code v3} by this version: a change of these
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
        assertThat(seen).containsExactlyInAnyOrderElementsOf(typesBeforeFormat3());
    }

    /** Format 3 adds entries that describe the cluster, and failed starts; all others stay. */
    @Test
    void entriesOfFormat2ReadAsThoseOfFormat3() throws IOException {
        List<JsonNode> before = lines("v2/entries.jsonl");
        List<JsonNode> now = lines("v3/entries.jsonl");
        for (int i = 0; i < before.size(); i++) {
            assertThat(decode(before.get(i))).isEqualTo(decode(now.get(i)));
        }
        Set<HistoryRecord.Type> added = EnumSet.noneOf(HistoryRecord.Type.class);
        now.subList(before.size(), now.size())
                .forEach(line -> added.add(decode(line).type()));
        added.remove(HistoryRecord.Type.DRAIN_CHANGED); // has a reason and a user now, where there is one
        assertThat(added).isEqualTo(EnumSet.complementOf(typesBeforeFormat3()));
    }

    private static EnumSet<HistoryRecord.Type> typesBeforeFormat3() {
        return EnumSet.complementOf(EnumSet.of(
                HistoryRecord.Type.CLUSTER_CHANGED,
                HistoryRecord.Type.NODE_ADDED,
                HistoryRecord.Type.NODE_REMOVED,
                HistoryRecord.Type.NODE_CHANGED,
                HistoryRecord.Type.REACHABILITY_CHANGED,
                HistoryRecord.Type.FOREIGN_LOAD_CHANGED,
                HistoryRecord.Type.START_FAILED,
                HistoryRecord.Type.SUSPEND_FAILED,
                HistoryRecord.Type.SUSPENSION_ENDED));
    }

    @Test
    void theClusterIsReadWithoutOneToReadTheNumbersOf() throws IOException {
        List<JsonNode> lines = lines("v3/entries.jsonl");
        JsonNode last = lines.get(lines.size() - 1);
        HistoryEntry entry = new HistoryEntry(
                9, 0, -1, 0, "engine", "ClusterChanged", last.path("body").toString());
        Topology cluster = HistoryCodec.clusterOf(entry).orElseThrow();
        assertThat(decode(last)).isEqualTo(new HistoryRecord.ClusterChanged(cluster, 9));
        assertThat(cluster.gpuId(2)).isEqualTo("GPU-3c");
        assertThat(cluster.gpuId(3)).isEqualTo("n1/0");
        assertThat(cluster.isMissing(1)).isTrue();
        assertThat(cluster.node(1).cpuMilli()).isEqualTo(Node.UNLIMITED);
        assertThat(HistoryCodec.clusterOf(new HistoryEntry(1, 0, 1, 1, "policy", "Held", "{}")))
                .isEmpty();
        HistoryEntry unknownType = new HistoryEntry(
                9,
                0,
                -1,
                0,
                "engine",
                "ClusterChanged",
                entry.body().replace("\"type\":\"A100\"", "\"type\":\"B200\""));
        assertThatThrownBy(() -> HistoryCodec.clusterOf(unknownType))
                .hasMessageContaining("n1")
                .hasMessageContaining("B200");
    }

    @Test
    void theClusterOfAHistoryFollowsItsNodes() throws IOException {
        Topology cluster = null;
        List<JsonNode> lines = lines("v3/entries.jsonl");
        List<JsonNode> clusterFirst = new ArrayList<>(List.of(lines.get(lines.size() - 1)));
        clusterFirst.addAll(lines.subList(0, lines.size() - 1));
        for (JsonNode line : clusterFirst) {
            cluster = HistoryCodec.clusterAfter(
                    cluster,
                    new HistoryEntry(
                            9,
                            0,
                            -1,
                            0,
                            "engine",
                            line.path("type").asText(),
                            line.path("body").toString()));
        }
        Objects.requireNonNull(cluster);
        assertThat(cluster.nodes()).extracting(Node::name).contains("n7", "n8");
        assertThat(cluster.node(2).presentGpus()).isZero();
        assertThat(cluster.node(3).presentGpus()).isEqualTo(4);
        assertThat(cluster.node(2).inventory().labels()).containsEntry("pool", "spot");
    }

    @Test
    void entriesAreWrittenAsInTheGoldenFile() throws IOException {
        for (JsonNode line : lines("v3/entries.jsonl")) {
            HistoryRecord entry = decode(line);
            assertThat(HistoryCodec.typeOf(entry)).isEqualTo(line.path("type").asText());
            assertThat(codec.encode(entry, Map.of()))
                    .isEqualTo(line.path("body").toString());
        }
    }

    @Test
    void snapshotsAreWrittenAsInTheGoldenFileAndReadFromAllFormats() throws IOException {
        String now = text("v3/snapshot.json").strip();
        SchedulerSnapshot snapshot = SnapshotCodec.decode(now);
        assertThat(SnapshotCodec.encode(snapshot)).isEqualTo(now);
        assertThat(snapshot.topology()).isNull();
        assertThat(SnapshotCodec.decode(text("v2/snapshot.json"))).isEqualTo(snapshot);
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
        HistoryEntry entry = new HistoryEntry(41, 0, 7, 2, "engine", "Running", "{\"v\":4,\"jobId\":7,\"attempt\":2}");
        assertThatThrownBy(() -> codec.decode(entry))
                .isInstanceOf(HistoryFormat.NewerFormatException.class)
                .hasMessageContaining("entry 41")
                .hasMessageContaining("format 4")
                .hasMessageContaining("reads up to 3");
        String snapshot = text("v3/snapshot.json").replaceFirst("\"v\":3", "\"v\":9");
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
