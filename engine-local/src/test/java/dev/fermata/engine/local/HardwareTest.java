package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.GpuType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the GPUs of this machine are found. */
class HardwareTest {
    @TempDir
    Path folder;

    /** A program with the output of nvidia-smi. */
    private String smi(String body) throws IOException {
        Path program = Files.writeString(folder.resolve("nvidia-smi"), "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program.toString();
    }

    @Test
    void machineWithOneGpuTypeIsOneNode() throws IOException {
        Hardware found = Hardware.of("auto", smi("""
                [ "$1" = --query-gpu=index,uuid,name,memory.total ] || exit 9
                echo '1, GPU-b, NVIDIA H200, 143771'
                echo '0, GPU-a, NVIDIA H200, 143771'
                """));

        assertThat(found.topology().nodes()).hasSize(1);
        assertThat(found.topology().gpuCount()).isEqualTo(2);
        assertThat(found.topology().types()).containsExactly(new GpuType("H200", 143_771 - 2_246, 4.5));
        assertThat(found.devices()).containsExactly(0, 1);
        assertThat(found.topology().node(0).cpuMilli()).isPositive();
        assertThat(found.topology().node(0).memoryMib()).isPositive();
        assertThat(found.topology().node(0).name())
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
    }

    @Test
    void mixedMachineIsOneNodePerTypeAndKeepsDeviceNumbers() throws IOException {
        Hardware found = Hardware.of("auto", smi("""
                echo '0, GPU-a, Tesla V100-SXM2-32GB, 32768'
                echo '1, GPU-b, NVIDIA A100-SXM4-80GB, 81920'
                echo '2, GPU-c, Tesla V100-SXM2-32GB, 32768'
                """));

        assertThat(found.topology().nodes())
                .extracting(node -> node.name().replaceAll(".*:", ""))
                .containsExactly("V100", "A100");
        assertThat(found.devices()).containsExactly(0, 2, 1);
        assertThat(found.topology().nodes().stream()
                        .mapToLong(node -> node.memoryMib())
                        .sum())
                .isLessThanOrEqualTo(Hardware.of("virtual:1", "no-such-program")
                        .topology()
                        .node(0)
                        .memoryMib());
    }

    @Test
    void sameNameWithOtherMemoryIsAnotherType() throws IOException {
        Hardware found = Hardware.of("auto", smi("""
                echo '0, GPU-a, NVIDIA A100-SXM4-80GB, 81920'
                echo '1, GPU-b, NVIDIA A100-PCIE-40GB, 40960'
                """));

        assertThat(found.topology().types()).extracting(GpuType::name).containsExactly("A100", "A100-40GB");
        assertThat(found.topology().types())
                .extracting(GpuType::memoryMib)
                .containsExactly(81_920 - 1_280, 40_960 - 640);
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA H200, H200",
        "NVIDIA H100 80GB HBM3, H100",
        "NVIDIA A100-SXM4-80GB, A100",
        "Tesla V100-SXM2-32GB, V100",
        "Tesla P100-PCIE-16GB, P100",
        "Tesla K80, K80",
        "Tesla T4, T4",
        "NVIDIA A10, A10",
        "NVIDIA A10G, A10G",
        "NVIDIA L40S, L40S",
        "NVIDIA B200, B200",
        "NVIDIA GeForce RTX 3090, RTX3090",
        "NVIDIA GeForce RTX 4090, RTX-4090",
        "NVIDIA RTX A6000, RTX-A6000"
    })
    void productNamesBecomeTypes(String product, String type) {
        assertThat(NvidiaSmi.catalogueType(product).name()).isEqualTo(type);
    }

    @Test
    void malformedLinesAreSkipped() {
        assertThat(NvidiaSmi.parse(
                        "Warning: old driver\n0, GPU-a, NVIDIA H200, 143771\n1, GPU-b, NVIDIA H200, [N/A]\n,,,\n"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 0", "echo 'NVIDIA-SMI has failed'; exit 9", "echo 'No devices were found'"})
    void errorWithoutGpusHasAHint(String body) throws IOException {
        String program = smi(body);

        assertThatThrownBy(() -> Hardware.of("auto", program)).hasMessageContaining("--gpus virtual:8");
    }

    @Test
    void errorWithoutNvidiaSmiHasAHint() {
        assertThatThrownBy(() -> Hardware.of("auto", folder.resolve("nothing").toString()))
                .hasMessageContaining("nvidia-smi cannot be run")
                .hasMessageContaining("--gpus virtual:8");
    }

    @Test
    void virtualGpusHaveTheRequestedType() {
        Hardware found = Hardware.of("virtual:4:H100", "no-such-program");

        assertThat(found.topology().gpuCount()).isEqualTo(4);
        assertThat(found.topology().types()).extracting(GpuType::name).containsExactly("H100");
        assertThat(found.devices()).containsExactly(0, 1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"virtual", "virtual:0", "virtual:-1", "virtual:x", "virtual:8:", "virtual:8:a b", "8", ""})
    void unknownSettingsAreRejected(String gpus) {
        assertThatThrownBy(() -> Hardware.of(gpus, "no-such-program"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("virtual:8");
    }

    @Test
    void gpusAreKnownByTheirUuidOrByTheirMachineAndNumber() throws IOException {
        Hardware real = Hardware.of("auto", smi("""
                echo '0, GPU-a, NVIDIA H200, 143771'
                echo '1, [N/A], NVIDIA H200, 143771'
                """));
        String machine = real.topology().node(0).id();
        assertThat(machine)
                .isEqualTo(
                        MachineIdentity.id().isEmpty() ? real.topology().node(0).name() : MachineIdentity.id());
        assertThat(real.topology().gpuId(0)).isEqualTo("GPU-a");
        assertThat(real.topology().gpuId(1)).isEqualTo(machine + "/1");
        assertThat(Hardware.of("virtual:2", "no-such-program").topology().gpuId(1))
                .isEqualTo(machine + "/1");
    }

    @Test
    void devicesFollowTheNumbersOfTheHistory() throws IOException {
        Hardware before = Hardware.of("auto", smi("""
                echo '0, GPU-a, NVIDIA H200, 143771'
                echo '1, GPU-b, NVIDIA H200, 143771'
                echo '2, GPU-c, NVIDIA H200, 143771'
                """));
        Hardware now = Hardware.of("auto", smi("""
                echo '0, GPU-d, NVIDIA H200, 143771'
                echo '1, GPU-a, NVIDIA H200, 143771'
                echo '2, GPU-c, NVIDIA H200, 143771'
                """));
        Hardware numbered = now.numberedAs(ClusterMatch.match(before.topology(), now.topology()));
        assertThat(numbered.devices()).containsExactly(1, Hardware.NO_DEVICE, 2, 0);
        assertThat(numbered.gpuOf("GPU-d")).isEqualTo(3);
        assertThat(numbered.gpuOf("GPU-x")).isEqualTo(-1);
    }
}
