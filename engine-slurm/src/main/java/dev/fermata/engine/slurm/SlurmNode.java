package dev.fermata.engine.slurm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A node as Slurm's controller has it.
 *
 * @param gpus how many of each type, in Slurm's order; the type is empty where the site names none
 * @param state such as {@code IDLE} or {@code DOWN*+DRAIN}
 * @param reason why it is down or drained, and who said so
 */
record SlurmNode(
        String name, String address, int cpus, long memoryMib, Map<String, Integer> gpus, String state, String reason) {
    private static final Pattern GPU = Pattern.compile("(?:^|,)gpu(?::([^:(,]+?))?:(\\d+)(?:\\([^)]*\\))?(?=,|$)");
    private static final Set<String> DOWN =
            Set.of("DOWN", "FAIL", "FAILING", "ERROR", "FUTURE", "UNKNOWN", "INVALID_REG", "POWERED_DOWN", "INVAL");
    private static final Set<String> DRAINED = Set.of("DRAIN", "DRAINED", "DRAINING", "MAINT", "REBOOT_ISSUED");

    /** The node of a line of {@code scontrol --oneliner show node}; null where the line is none. */
    static @Nullable SlurmNode parse(String line) {
        if (!line.startsWith("NodeName=")) {
            return null;
        }
        OneLine node = OneLine.parse(line);
        Map<String, Integer> gpus = new LinkedHashMap<>();
        Matcher gpu = GPU.matcher(node.get("Gres"));
        while (gpu.find()) {
            String type = gpu.group(1);
            gpus.merge(type == null ? "" : type, Integer.parseInt(gpu.group(2)), Integer::sum);
        }
        return new SlurmNode(
                node.get("NodeName"),
                node.get("NodeAddr"),
                (int) node.number("CPUEfctv", node.number("CPUTot", 1)),
                node.number("RealMemory", 0),
                gpus,
                node.get("State"),
                node.get("Reason"));
    }

    private List<String> flags() {
        List<String> flags = new ArrayList<>();
        for (String flag : state.split("\\+", -1)) {
            flags.add(flag.replaceAll("[*~#!%$@^-]+$", ""));
        }
        return flags;
    }

    /** Whether the node itself fails. */
    boolean isDown() {
        return flags().stream().anyMatch(DOWN::contains);
    }

    /** Whether Slurm does not hear of it, but has not given it up yet. */
    boolean isSilent() {
        return state.contains("*") || flags().contains("NOT_RESPONDING");
    }

    /** Whether an administrator, or Slurm's health check, takes it out of service. */
    boolean isDrained() {
        return flags().stream().anyMatch(DRAINED::contains);
    }

    int gpuCount() {
        return gpus.values().stream().mapToInt(Integer::intValue).sum();
    }
}
