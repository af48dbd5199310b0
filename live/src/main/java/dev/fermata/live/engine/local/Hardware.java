package dev.fermata.live.engine.local;

import com.sun.management.OperatingSystemMXBean;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
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
 * @param devices what {@code CUDA_VISIBLE_DEVICES} calls each GPU of the topology
 * @param uuids what nvidia-smi calls each; none when they are made up
 */
record Hardware(Topology topology, List<Integer> devices, List<String> uuids) {
    private static final Pattern VIRTUAL = Pattern.compile("virtual:([0-9]{1,4})(?::([A-Za-z0-9_-]{1,32}))?");

    /** A GPU as found. */
    record Gpu(int device, String uuid, GpuType type) {}

    /** {@code auto} asks nvidia-smi; {@code virtual:N[:TYPE]} makes GPUs up. */
    static Hardware of(String gpus, String nvidiaSmi) {
        if (gpus.equals("auto")) {
            return of(NvidiaSmi.ask(nvidiaSmi));
        }
        Matcher matcher = VIRTUAL.matcher(gpus);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
            throw new IllegalArgumentException(
                    "gpus (" + gpus + ") must be auto or virtual:N[:TYPE], such as virtual:8 or virtual:8:H100");
        }
        GpuType type = matcher.group(2) == null ? GpuCatalogue.GENERIC : GpuCatalogue.named(matcher.group(2));
        List<Gpu> found = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(matcher.group(1)); i++) {
            found.add(new Gpu(i, "", type));
        }
        return of(found);
    }

    /** One node for the machine; a node holds GPUs of one type, so a mixed machine is a node for each. */
    static Hardware of(List<Gpu> gpus) {
        Map<GpuType, List<Gpu>> byType = new LinkedHashMap<>();
        gpus.forEach(gpu ->
                byType.computeIfAbsent(gpu.type(), type -> new ArrayList<>()).add(gpu));
        String host = host();
        long cpuMilli = Runtime.getRuntime().availableProcessors() * 1000L;
        long memoryMib = memoryMib();
        Topology.Builder builder = Topology.builder().rack("local");
        List<Integer> devices = new ArrayList<>();
        List<String> uuids = new ArrayList<>();
        for (Map.Entry<GpuType, List<Gpu>> kind : byType.entrySet()) {
            int count = kind.getValue().size();
            String name = byType.size() == 1 ? host : host + ":" + kind.getKey().name();
            // The parts of a mixed machine share its CPUs and RAM by their number of GPUs.
            builder.node(name, kind.getKey(), count, cpuMilli * count / gpus.size(), memoryMib * count / gpus.size());
            for (Gpu gpu : kind.getValue()) {
                devices.add(gpu.device());
                if (!gpu.uuid().isEmpty()) {
                    uuids.add(gpu.uuid());
                }
            }
        }
        return new Hardware(builder.build(), List.copyOf(devices), List.copyOf(uuids));
    }

    /** Whether they can be watched. */
    boolean real() {
        return !uuids.isEmpty();
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

    /** What Java may see: the RAM of the machine, or of the control group it is in. */
    private static long memoryMib() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize() >> 20;
    }
}
