package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFileTest {
    @TempDir
    private Path folder;

    @Test
    void everyFieldIsRead() throws IOException {
        Topology topology = read("cluster.yaml", """
                network:
                  node: {gbytesPerSecond: 300, latencyMicros: 2}
                  rack: {latencyMicros: 7}
                gpuTypes:
                  A100-40: {memory: 40GiB, speed: 2.2}
                  V100: {memory: 16GiB}
                racks:
                  - name: r0
                    nodes:
                      - {name: n, count: 4, gpus: 8, type: A100-40, cpus: 64, memory: 512GiB}
                  - nodes: [{gpus: 4, type: V100}, {gpus: 2}]
                """);

        assertThat(topology.gpuCount()).isEqualTo(38);
        assertThat(topology.racks()).extracting(Rack::name).containsExactly("r0", "rack1");
        assertThat(topology.nodes())
                .extracting(Node::name)
                .containsExactly("n-0", "n-1", "n-2", "n-3", "node4", "node5");
        assertThat(topology.node(0).cpuMilli()).isEqualTo(64_000);
        assertThat(topology.node(0).memoryMib()).isEqualTo(512 * 1024);
        assertThat(topology.node(4).memoryMib()).isEqualTo(Node.UNLIMITED);
        assertThat(topology.types().get(0).speed()).isEqualTo(2.2);
        assertThat(topology.types().get(1).memoryMib()).isEqualTo(16 * 1024);
        assertThat(topology.network())
                .isEqualTo(new Network(new Link(300, 2), new Link(12.5, 7), Network.DEFAULT.spine()));
    }

    @Test
    void racksCanBeRepeated() throws IOException {
        Topology topology = read("cluster.yml", "racks: [{name: r, count: 3, nodes: [{name: n, count: 2, gpus: 8}]}]");

        assertThat(topology.racks()).hasSize(3);
        assertThat(topology.gpuCount()).isEqualTo(48);
    }

    @Test
    void jsonIsReadToo() throws IOException {
        assertThat(read("cluster.json", "{\"racks\": [{\"nodes\": [{\"gpus\": 8}]}]}")
                        .gpuCount())
                .isEqualTo(8);
    }

    private Topology read(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, text);
        return ClusterInput.parse(file.toString()).topology();
    }
}
