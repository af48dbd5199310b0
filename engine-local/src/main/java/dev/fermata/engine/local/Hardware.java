package dev.fermata.engine.local;

import com.sun.management.OperatingSystemMXBean;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * This machine as a cluster.
 *
 * @param devices the name of each GPU of the topology in {@code CUDA_VISIBLE_DEVICES}, {@link #NO_DEVICE} for one that
 *     is missing
 * @param real whether nvidia-smi knows the GPUs, by the ids that they have in the topology
 */
record Hardware(Topology topology, List<Integer> devices, boolean real) {
    static final int NO_DEVICE = -1;

    private static final Pattern VIRTUAL =
            Pattern.compile("virtual:([0-9]{1,4})(?::([A-Za-z0-9_-]{1,32}))?(?:\\+suspend)?");

    /** A GPU as found; its UUID is empty where it has none. */
    record GpuDevice(int device, String uuid, GpuType type) {}

    /** {@code auto} asks nvidia-smi; {@code virtual:N[:TYPE]} creates virtual GPUs. */
    static Hardware of(String gpus, String nvidiaSmi) {
        if (gpus.equals("auto")) {
            return of(NvidiaSmi.queryGpus(nvidiaSmi), true);
        }
        Matcher matcher = VIRTUAL.matcher(gpus);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
            throw new IllegalArgumentException(
                    "gpus (" + gpus + ") must be auto or virtual:N[:TYPE], such as virtual:8 or virtual:8:H100");
        }
        GpuType type = matcher.group(2) == null ? GpuCatalogue.GENERIC : GpuCatalogue.byName(matcher.group(2));
        List<GpuDevice> found = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(matcher.group(1)); i++) {
            found.add(new GpuDevice(i, "", type));
        }
        return of(found, false);
    }

    /** One node per GPU type: a machine with mixed GPUs becomes several nodes. */
    private static Hardware of(List<GpuDevice> gpus, boolean real) {
        Map<GpuType, List<GpuDevice>> byType = new LinkedHashMap<>();
        gpus.forEach(gpu ->
                byType.computeIfAbsent(gpu.type(), type -> new ArrayList<>()).add(gpu));
        String host = host();
        String machine = MachineIdentity.id().isEmpty() ? host : MachineIdentity.id();
        long cpuMilli = Runtime.getRuntime().availableProcessors() * 1000L;
        long memoryMib = memoryMib();
        Topology.Builder builder = Topology.builder().rack("local");
        List<Integer> devices = new ArrayList<>();
        for (Map.Entry<GpuType, List<GpuDevice>> type : byType.entrySet()) {
            int count = type.getValue().size();
            String suffix = byType.size() == 1 ? "" : ":" + type.getKey().name();
            // The nodes of a mixed machine share its CPUs and RAM by their number of GPUs.
            builder.node(
                    host + suffix,
                    type.getKey(),
                    count,
                    cpuMilli * count / gpus.size(),
                    memoryMib * count / gpus.size(),
                    new NodeInventory(
                            machine + suffix,
                            type.getValue().stream()
                                    .map(gpu -> gpu.uuid().isEmpty() ? machine + "/" + gpu.device() : gpu.uuid())
                                    .toList(),
                            List.of()));
            type.getValue().forEach(gpu -> devices.add(gpu.device()));
        }
        return new Hardware(builder.build(), List.copyOf(devices), real);
    }

    /** The same devices in the numbers of another cluster, which knows them by their ids. */
    Hardware numberedAs(Topology cluster) {
        Map<String, Integer> deviceOfId = new LinkedHashMap<>();
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            deviceOfId.put(topology.gpuId(gpu), devices.get(gpu));
        }
        List<Integer> numbered = new ArrayList<>();
        for (int gpu = 0; gpu < cluster.gpuCount(); gpu++) {
            numbered.add(deviceOfId.getOrDefault(cluster.gpuId(gpu), NO_DEVICE));
        }
        return new Hardware(cluster, List.copyOf(numbered), real);
    }

    /** The number of the GPU with this id, or -1. */
    int gpuOf(String id) {
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            if (topology.gpuId(gpu).equals(id)) {
                return gpu;
            }
        }
        return -1;
    }

    int memoryMib(int gpu) {
        return topology.types().get(topology.typeOf(gpu)).memoryMib();
    }

    private static String host() {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            return name.isEmpty() ? "localhost" : name;
        } catch (IOException e) {
            return "localhost";
        }
    }

    /** The RAM that Java sees: of the machine, or of its control group. */
    static long memoryMib() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize() >> 20;
    }
}
