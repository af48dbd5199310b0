package dev.fermata.app.house;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Which GPUs the daemon shall use. {@code auto} on a machine that has none becomes virtual ones, and that is said: a new user on a
 * laptop sees jobs run. Where there is a driver that fails, nothing is made up.
 *
 * @param remark what to tell the user; empty when there is nothing to tell
 */
public record GpuChoice(String gpus, String remark) {
    static final String AUTO = "auto";
    private static final String INSTEAD = "virtual:8";
    private static final Path FIRST_DEVICE = Path.of("/dev/nvidia0");

    public static GpuChoice of(String asked, Map<String, String> environment) {
        return of(asked, Files.exists(FIRST_DEVICE) || onPath("nvidia-smi", environment));
    }

    static GpuChoice of(String asked, boolean driver) {
        return !asked.equals(AUTO) || driver
                ? new GpuChoice(asked, "")
                : new GpuChoice(
                        INSTEAD,
                        "no GPUs here (no nvidia-smi on the PATH): pretending to have 8. Jobs run as ordinary processes on the CPU."
                                + " Say so yourself with --gpus virtual:8");
    }

    private static boolean onPath(String program, Map<String, String> environment) {
        return Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
