package dev.fermata.live.attempt;

import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The variables by which a job knows what it is, the same for every engine, and how a shell sets them. */
public final class AttemptVariables {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Names that some shells refuse to set; a job cannot have them. */
    private static final Set<String> RESERVED =
            Set.of("UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO", "BASHPID", "GROUPS");

    private AttemptVariables() {}

    /**
     * The folders of an attempt.
     *
     * @param attempt holds its report file, and {@code own}, the job's part
     * @param python the folder of the Python helper
     */
    public record Folders(Path attempt, Path checkpoints, Path python) {}

    public static boolean canSet(String name) {
        return NAME.matcher(name).matches() && !RESERVED.contains(name);
    }

    /** Why this machine's shells cannot set the variables of a job, or null. */
    public static @Nullable String rejectionReason(JobSpec spec) {
        for (String name : spec.env().keySet()) {
            if (!canSet(name)) {
                return "env (" + SingleLine.of(name, 64)
                        + ") is not a name that a shell can set. Use letters, digits and _";
            }
        }
        return null;
    }

    /** Adds what the user set. */
    public static void addRequested(Map<String, String> set, JobSpec spec) {
        spec.env().forEach((name, value) -> {
            if (canSet(name)) {
                set.put(name, value);
            }
        });
    }

    /**
     * Adds everything named after Fermata, and the search path of the helper.
     *
     * @param signal the name of the signal to save and exit
     */
    public static void add(Map<String, String> set, Launch launch, String signal, Folders folders) {
        JobSpec spec = launch.spec();
        set.put("FERMATA_JOB_ID", Long.toString(launch.jobId()));
        set.put("FERMATA_JOB_NAME", spec.name());
        set.put("FERMATA_ATTEMPT", Integer.toString(launch.attempt()));
        set.put("FERMATA_RESUMED", launch.resumed() ? "1" : "0");
        set.put("FERMATA_GRACE_SECONDS", Long.toString(spec.preempt().graceMillis() / 1000));
        set.put("FERMATA_SIGNAL", signal);
        set.put("FERMATA_CHECKPOINT_DIR", folders.checkpoints.toString());
        if (spec.checkpoint().intervalMillis() > 0) {
            long seconds = Math.max(1, spec.checkpoint().intervalMillis() / 1000);
            set.put("FERMATA_CHECKPOINT_SECONDS", Long.toString(seconds));
        }
        set.put("FERMATA_ATTEMPT_DIR", folders.attempt.resolve("own").toString());
        set.put("FERMATA_RUN_DIR", folders.attempt.resolve("own").toString()); // for copies of the helper of 0.1.0
        set.put("FERMATA_REPORT", folders.attempt.resolve("report").toString());
        if (!set.containsKey("FERMATA_NO_PYTHONPATH")) {
            String before = set.getOrDefault("PYTHONPATH", "");
            set.put("PYTHONPATH", before.isEmpty() ? folders.python.toString() : before + ":" + folders.python);
        }
        set.put("FERMATA_GPUS", Integer.toString(launch.allocation().size()));
        if (!launch.batchShares().isEmpty()) {
            set.put("FERMATA_GPU_SHARES", shares(launch.batchShares()));
        }
        if (launch.gpuMemoryReservationMib() > 0) {
            set.put("FERMATA_GPU_MEMORY_MIB", Integer.toString(launch.gpuMemoryReservationMib()));
        }
        if (launch.arrayId() >= 0) {
            set.put("FERMATA_ARRAY_ID", Long.toString(launch.arrayId()));
            set.put("FERMATA_ARRAY_INDEX", Integer.toString(spec.array().index()));
            set.put("FERMATA_ARRAY_SIZE", Integer.toString(spec.array().size()));
        }
    }

    /** A line for each variable that sets it in any POSIX shell. */
    public static String toShell(Map<String, String> variables) {
        StringBuilder text = new StringBuilder();
        variables.forEach((name, value) -> text.append("export ")
                .append(name)
                .append('=')
                .append(quote(value))
                .append('\n'));
        return text.toString();
    }

    /** Between single quotes a shell interprets nothing but the next single quote. */
    public static String quote(String value) {
        return "'" + value.replace("\0", "").replace("'", "'\\''") + "'";
    }

    /** In the order of the devices; six digits are more than a batch has samples. */
    private static String shares(List<Double> shares) {
        return shares.stream()
                .map(share -> String.format(Locale.ROOT, "%.6f", share))
                .collect(Collectors.joining(","));
    }
}
