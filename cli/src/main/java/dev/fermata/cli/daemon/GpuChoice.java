package dev.fermata.cli.daemon;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Which GPUs the daemon shall use. {@code auto} on a machine that has none becomes virtual ones, and that is said: a new user on a
 * laptop sees jobs run. Where there is a driver that fails, nothing is made up.
 *
 * @param remark a message for the user, or empty
 */
public record GpuChoice(String gpus, String remark) {
    static final String AUTO = "auto";
    private static final String FALLBACK = "virtual:8";
    private static final Path FIRST_DEVICE = Path.of("/dev/nvidia0");

    public static GpuChoice of(String requested, Map<String, String> environment) {
        return of(requested, Files.exists(FIRST_DEVICE) || onPath("nvidia-smi", environment));
    }

    static GpuChoice of(String requested, boolean driver) {
        return !requested.equals(AUTO) || driver
                ? new GpuChoice(requested, "")
                : new GpuChoice(
                        FALLBACK,
                        "no GPUs here (no nvidia-smi on the PATH): using 8 virtual GPUs. Jobs run as ordinary processes on the CPU."
                                + " To choose them: --gpus virtual:8");
    }

    private static boolean onPath(String program, Map<String, String> environment) {
        return Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
