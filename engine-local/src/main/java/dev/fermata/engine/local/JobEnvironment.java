package dev.fermata.engine.local;

import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.RankMap;
import dev.fermata.live.spec.JobSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The environment of a job, and the file that sets it. A job inherits only a few harmless variables of the daemon, so none of
 * its secrets.
 */
final class JobEnvironment {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    /** Names that some shells refuse to set; a job cannot have them. */
    private static final Set<String> RESERVED =
            Set.of("UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO", "BASHPID", "GROUPS");

    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private JobEnvironment() {}

    static boolean canSet(String name) {
        return NAME.matcher(name).matches() && !RESERVED.contains(name);
    }

    /**
     * The variables of an attempt, except those that differ by rank.
     *
     * @param devices the GPUs of the topology as {@code CUDA_VISIBLE_DEVICES} names them
     */
    static Map<String, String> variables(
            Launch launch,
            OsAccount account,
            AttemptPaths paths,
            String marker,
            List<Integer> devices,
            int masterPort) {
        JobSpec spec = launch.spec();
        String job = Long.toString(launch.jobId());
        Map<String, String> set = new LinkedHashMap<>();
        set.put("PATH", account.switchesUser() ? DEFAULT_PATH : inherited("PATH", DEFAULT_PATH));
        set.put("HOME", account.home());
        set.put("USER", account.name());
        set.put("LOGNAME", account.name());
        set.put("SHELL", account.shell());
        set.put("LANG", inherited("LANG", "C.UTF-8"));
        if (System.getenv("TZ") != null) {
            set.put("TZ", inherited("TZ", ""));
        }
        spec.env().forEach((name, value) -> {
            if (canSet(name)) {
                set.put(name, value);
            }
        });
        String gpus = visibleDevices(launch.allocation(), devices);
        set.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID"); // the order of nvidia-smi
        set.put("CUDA_VISIBLE_DEVICES", gpus);
        set.put("FERMATA_JOB_ID", job);
        set.put("FERMATA_JOB_NAME", spec.name());
        set.put("FERMATA_ATTEMPT", Integer.toString(launch.attempt()));
        set.put("FERMATA_RESUMED", launch.resumed() ? "1" : "0");
        set.put("FERMATA_GRACE_SECONDS", Long.toString(spec.preempt().graceMillis() / 1000));
        set.put("FERMATA_SIGNAL", Signal.byName(spec.checkpoint().signal()).name());
        set.put("FERMATA_CHECKPOINT_DIR", paths.checkpoints().toString());
        if (spec.checkpoint().intervalMillis() > 0) {
            long seconds = Math.max(1, spec.checkpoint().intervalMillis() / 1000);
            set.put("FERMATA_CHECKPOINT_SECONDS", Long.toString(seconds));
        }
        set.put("FERMATA_ATTEMPT_DIR", paths.run().resolve("own").toString());
        set.put("FERMATA_RUN_DIR", paths.run().resolve("own").toString()); // for copies of the helper of 0.1.0
        set.put("FERMATA_REPORT", paths.run().resolve("report").toString());
        if (!set.containsKey("FERMATA_NO_PYTHONPATH")) {
            String before = set.getOrDefault("PYTHONPATH", "");
            set.put("PYTHONPATH", before.isEmpty() ? paths.python().toString() : before + ":" + paths.python());
        }
        set.put("FERMATA_GPUS", Integer.toString(launch.allocation().size()));
        if (!launch.batchShares().isEmpty()) {
            set.put("FERMATA_GPU_SHARES", shares(launch.batchShares()));
        }
        if (launch.gpuMemoryReservationMib() > 0) {
            set.put("FERMATA_GPU_MEMORY_MIB", Integer.toString(launch.gpuMemoryReservationMib()));
        }
        set.put(AttemptMarkers.VARIABLE, marker);
        RankMap ranks = RankMap.onOneNode(
                "localhost", launch.ranks(), launch.allocation().size());
        set.putAll(ranks.variables("127.0.0.1", masterPort));
        set.put("LOCAL_WORLD_SIZE", Integer.toString(launch.ranks()));
        set.put("NODE_RANK", "0");
        set.put("SLURM_JOB_ID", job);
        set.put("SLURM_JOB_NAME", spec.name());
        set.put("SLURM_RESTART_COUNT", Integer.toString(launch.attempt() - 1));
        set.put("SLURM_JOB_GPUS", gpus);
        set.put("SLURM_NODEID", "0");
        if (launch.arrayId() >= 0) {
            String index = Integer.toString(spec.array().index());
            set.put("FERMATA_ARRAY_ID", Long.toString(launch.arrayId()));
            set.put("FERMATA_ARRAY_INDEX", index);
            set.put("FERMATA_ARRAY_SIZE", Integer.toString(spec.array().size()));
            set.put("SLURM_ARRAY_JOB_ID", Long.toString(launch.arrayId()));
            set.put("SLURM_ARRAY_TASK_ID", index);
            set.put("SLURM_ARRAY_TASK_COUNT", Integer.toString(spec.array().size()));
        }
        return set;
    }

    /** The file that {@code step.sh} reads: variables, working directory and command. */
    static String toShellFile(Map<String, String> variables, Path workdir, String run, Path script) {
        StringBuilder text = new StringBuilder();
        variables.forEach((name, value) -> text.append("export ")
                .append(name)
                .append('=')
                .append(quote(value))
                .append('\n'));
        boolean whole = run.startsWith("#!");
        text.append("fermata_workdir=").append(quote(workdir.toString())).append('\n');
        text.append("fermata_script=")
                .append(quote(whole ? script.toString() : ""))
                .append('\n');
        text.append("fermata_command=").append(quote(whole ? "" : run)).append('\n');
        return text.toString();
    }

    /** Between single quotes a shell interprets nothing but the next single quote. */
    static String quote(String value) {
        return "'" + value.replace("\0", "").replace("'", "'\\''") + "'";
    }

    private static String visibleDevices(Allocation allocation, List<Integer> devices) {
        return IntStream.range(0, allocation.size())
                .mapToObj(i -> device(allocation.gpu(i), devices))
                .collect(Collectors.joining(","));
    }

    private static String device(int gpu, List<Integer> devices) {
        int device = devices.get(gpu);
        if (device == Hardware.NO_DEVICE) {
            throw new IllegalStateException("GPU " + gpu + " is missing on this machine; no attempt can start on it");
        }
        return Integer.toString(device);
    }

    /** In the order of the devices; six digits are more than a batch has samples. */
    private static String shares(List<Double> shares) {
        return shares.stream()
                .map(share -> String.format(Locale.ROOT, "%.6f", share))
                .collect(Collectors.joining(","));
    }

    private static String inherited(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** The folders of an attempt. */
    record AttemptPaths(Path run, Path checkpoints, Path python) {}
}
