package dev.fermata.engine.local;

import dev.fermata.core.model.Allocation;
import dev.fermata.live.attempt.AttemptVariables;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.RankMap;
import dev.fermata.live.spec.JobSpec;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The environment of a job, and the file that sets it. A job inherits only a few harmless variables of the daemon, so none of
 * its secrets.
 */
final class JobEnvironment {
    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private JobEnvironment() {}

    /**
     * The variables of an attempt, except those that differ by rank.
     *
     * @param devices the GPUs of the topology as {@code CUDA_VISIBLE_DEVICES} names them
     */
    static Map<String, String> variables(
            Launch launch,
            OsAccount account,
            AttemptVariables.Folders folders,
            String marker,
            List<Integer> devices,
            Path workdir,
            int masterPort) {
        JobSpec spec = launch.spec();
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
        AttemptVariables.addRequested(set, spec);
        String gpus = visibleDevices(launch.allocation(), devices);
        set.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID"); // the order of nvidia-smi
        set.put("CUDA_VISIBLE_DEVICES", gpus);
        AttemptVariables.add(
                set, launch, Signal.byName(spec.checkpoint().signal()).name(), folders);
        set.put(AttemptMarkers.VARIABLE, marker);
        if (launch.ranks() > 1) { // a single process would wait for others, or take itself for one of several
            RankMap.onOneNode("localhost", launch.ranks(), launch.allocation().size())
                    .variables("127.0.0.1", masterPort)
                    .forEach((name, value) -> {
                        if (!name.startsWith("SLURM_")) {
                            set.put(name, value);
                        }
                    });
            set.put("LOCAL_WORLD_SIZE", Integer.toString(launch.ranks()));
            set.put("NODE_RANK", "0");
        }
        if (SlurmVariables.isBatchScript(spec.run())) {
            set.putAll(SlurmVariables.of(launch, account, gpus, hostName(), workdir.toString()));
        }
        return set;
    }

    private static String hostName() {
        String name = System.getenv("HOSTNAME");
        try {
            return name == null || name.isEmpty() ? InetAddress.getLocalHost().getHostName() : name;
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** The file that {@code step.sh} reads: variables, working directory, command, and whether its rank is set. */
    static String toShellFile(Map<String, String> variables, Path workdir, Launch launch, Path script) {
        String run = launch.spec().run();
        StringBuilder text = new StringBuilder(AttemptVariables.toShell(variables));
        boolean whole = run.startsWith("#!");
        text.append("fermata_ranks=").append(launch.ranks()).append('\n');
        text.append("fermata_batch=")
                .append(SlurmVariables.isBatchScript(run) ? 1 : 0)
                .append('\n');
        text.append("fermata_workdir=")
                .append(AttemptVariables.quote(workdir.toString()))
                .append('\n');
        text.append("fermata_script=")
                .append(AttemptVariables.quote(whole ? script.toString() : ""))
                .append('\n');
        text.append("fermata_command=")
                .append(AttemptVariables.quote(whole ? "" : run))
                .append('\n');
        return text.toString();
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

    private static String inherited(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
