package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.profile.MemorySizing;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The GPUs of this machine as nvidia-smi reports them. */
final class NvidiaSmi {
    private static final String HINT = " Without GPUs, try --gpus virtual:8: jobs then run as ordinary processes.";
    private static final long TIMEOUT_SECONDS = 30;

    private NvidiaSmi() {}

    static List<Hardware.GpuDevice> queryGpus(String program) {
        String answer;
        try {
            Process process = new ProcessBuilder(
                            program, "--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader,nounits")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            try (InputStream out = process.getInputStream()) {
                answer = new String(out.readNBytes(1 << 20), UTF_8);
            }
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("nvidia-smi does not answer." + HINT);
            }
            if (process.exitValue() != 0) {
                String reported = SingleLine.of(answer.lines().findFirst().orElse(""), 160);
                throw new IllegalStateException("nvidia-smi failed (" + reported + ")." + HINT);
            }
        } catch (IOException e) {
            throw new IllegalStateException("no GPUs found here: nvidia-smi cannot be run." + HINT, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while nvidia-smi ran", e);
        }
        List<Hardware.GpuDevice> gpus = parse(answer);
        if (gpus.isEmpty()) {
            throw new IllegalStateException("no GPUs found here: nvidia-smi lists none." + HINT);
        }
        return gpus;
    }

    /** Lines of {@code index, uuid, name, MiB}. */
    static List<Hardware.GpuDevice> parse(String answer) {
        record Found(int index, String uuid, String name, int memoryMib) {}

        List<Found> found = new ArrayList<>();
        for (String line : answer.lines().toList()) {
            String[] parts = line.split(",", -1);
            if (parts.length == 4
                    && parts[0].strip().matches("[0-9]{1,4}")
                    && parts[3].strip().matches("[0-9]{1,7}")) {
                found.add(new Found(
                        Integer.parseInt(parts[0].strip()),
                        parts[1].strip().startsWith("GPU-") ? parts[1].strip() : "", // else text such as [N/A]
                        parts[2].strip(),
                        Integer.parseInt(parts[3].strip())));
            }
        }
        found.sort(Comparator.comparingInt(Found::index));
        List<GpuType> types = new ArrayList<>();
        List<Hardware.GpuDevice> gpus = new ArrayList<>();
        for (Found gpu : found) {
            gpus.add(new Hardware.GpuDevice(gpu.index(), gpu.uuid(), typeOf(gpu.name(), gpu.memoryMib(), types)));
        }
        return gpus;
    }

    /** What can be reserved for jobs: the driver keeps some memory, and a shared GPU must never be completely full. */
    private static int usableMib(int memoryMib) {
        return Math.max(1, memoryMib - MemorySizing.headroomMib(memoryMib));
    }

    /**
     * The catalogue's type for a product name, with the reported memory. Boards of one name are one type, unless their memory
     * differs by more than a tenth; then the second type is named after its memory.
     */
    private static GpuType typeOf(String product, int memoryMib, List<GpuType> known) {
        GpuType like = catalogueType(product);
        int gib = (memoryMib + 512) / 1024;
        int usable = usableMib(memoryMib);
        for (GpuType type : known) {
            boolean sameName = type.name().equals(like.name()) || type.name().equals(like.name() + "-" + gib + "GB");
            if (sameName && Math.abs(type.memoryMib() - usable) * 10L <= type.memoryMib()) {
                return type;
            }
        }
        boolean taken = known.stream().anyMatch(type -> type.name().equals(like.name()));
        GpuType type = new GpuType(taken ? like.name() + "-" + gib + "GB" : like.name(), usable, like.speed());
        known.add(type);
        return type;
    }

    /** "NVIDIA A100-SXM4-80GB" is an A100, "NVIDIA GeForce RTX 3090" an RTX3090; an unknown name stands for itself. */
    static GpuType catalogueType(String product) {
        String words = " " + product.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", " ") + " ";
        String joined = words.replace("RTX ", "RTX");
        for (GpuType type : GpuCatalogue.known()) {
            String name = " " + type.name().toUpperCase(Locale.ROOT) + " ";
            if (!type.equals(GpuCatalogue.GENERIC) && (words.contains(name) || joined.contains(name))) {
                return type;
            }
        }
        String plain = product.replaceAll("(?i)^(NVIDIA|Tesla|GeForce|Quadro)\\s+", "")
                .replaceAll("(?i)^(GeForce|Quadro)\\s+", "")
                .replaceAll("[^A-Za-z0-9]+", "-")
                .replaceAll("^-+|-+$", "");
        return GpuCatalogue.byName(plain.isEmpty() ? "GPU" : plain);
    }
}
