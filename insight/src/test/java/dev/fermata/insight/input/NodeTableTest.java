package dev.fermata.insight.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeTableTest {
    @TempDir
    private Path folder;

    private Topology read(String text) throws IOException {
        Path file = folder.resolve("machines.csv");
        Files.writeString(file, text);
        return ClusterInput.parse(file.toString()).topology();
    }

    @Test
    void aNodeListCountsThousandthsAndMebibytes() throws IOException {
        Topology topology = read("""
                sn,cpu_milli,memory_mib,gpu,model
                a-1,64000,262144,2,T4
                a-2,8500,1024,0,
                a-3,96000,393216,8,V100M16
                a-4,96000,393216,8,Mystery
                """);

        assertThat(topology.gpuCount()).isEqualTo(18);
        assertThat(topology.nodes()).extracting(Node::name).containsExactly("a-1", "a-3", "a-4");
        assertThat(topology.node(0).cpuMilli()).isEqualTo(64_000);
        assertThat(topology.node(0).memoryMib()).isEqualTo(262_144);
        assertThat(topology.racks()).hasSize(1);
        assertThat(topology.types())
                .containsExactly(
                        new GpuType("T4", 16 * 1024, 0.4),
                        new GpuType("V100M16", 16 * 1024, 1),
                        new GpuType("Mystery", 32 * 1024, 1));
    }

    @Test
    void aMachineSpecificationCountsCpusAndGibibytesAndNeedsNoHeader() throws IOException {
        String lines = """
                m1,CPU,96,512,0
                m2,P100,64,512,2
                m3,MISC,96,384.5,8
                """;

        Topology bare = read(lines);
        Topology headed = read("machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n" + lines);

        assertThat(bare.nodes()).isEqualTo(headed.nodes());
        assertThat(bare.nodes()).extracting(Node::name).containsExactly("m2", "m3");
        assertThat(bare.node(0).cpuMilli()).isEqualTo(64_000);
        assertThat(bare.node(1).memoryMib()).isEqualTo(393_728);
    }

    @Test
    void hostsOnOneAccessSwitchAreARack() throws IOException {
        Topology topology = read("""
                ip,DSW,PSW,ASW
                h1,D1,P1,A1
                h2,D1,P2,A1
                h3,D1,P1,A1
                """);

        assertThat(topology.racks()).extracting(Rack::name).containsExactly("D1/P1/A1", "D1/P2/A1");
        assertThat(topology.racks()).extracting(Rack::nodes).containsExactly(2, 1);
        assertThat(topology.nodes()).extracting(Node::name).containsExactly("h1", "h3", "h2");
        assertThat(topology.gpuCount()).isEqualTo(24);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x,64000,1024,2,T4,more          | :2: 6 columns where 5 were expected: sn,cpu_milli,memory_mib,gpu,model",
                "x,64000,1024,2                  | :2: 4 columns where 5 were expected",
                "x,64000,1024,two,T4             | :2: gpu (two) must be a number from 0 to",
                "x,64000,1024,2.5,T4             | :2: gpu (2.5) must be a whole number",
                "x,64000,1024,-2,T4              | :2: gpu (-2) must be",
                "x,many,1024,2,T4                | :2: cpu_milli (many) must be a number",
                "x,64000,,2,T4                   | :2: memory_mib () is missing",
                ",64000,1024,2,T4                | :2: sn () is missing",
                "x,64000,1024,2,                 | :2: model () is missing",
                "x,64000,1024,0,T4               | :1: the table has no machine with a GPU",
                "x,64000,1024,2000000,T4         | :2: gpu (2000000) must be a number from 0 to 1000000"
            })
    void aLineThatCannotBeReadIsNamed(String line, String problem) {
        assertThatThrownBy(() -> read("sn,cpu_milli,memory_mib,gpu,model\n" + line + "\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("machines.csv")
                .hasMessageContaining(problem);
    }

    @Test
    void aMachineIsNamedOnce() {
        assertThatThrownBy(() -> read("ip,DSW,PSW,ASW\nh,D,P,A\nh,D,P,B\n"))
                .hasMessageContaining(":3: ip (h) is used twice");
    }

    @Test
    void anotherTableIsNoCluster() {
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s\n1,0,1,10\n"))
                .hasMessageContaining(":1: not a known table of machines; its columns must be sn,cpu_milli")
                .hasMessageContaining(" or ip,DSW,PSW,ASW");
        assertThatThrownBy(() -> read("")).hasMessageContaining("no machine with a GPU");
        assertThatThrownBy(() -> ClusterInput.parse(folder.resolve("none.csv").toString()))
                .hasMessageContaining("cannot be read");
    }
}
