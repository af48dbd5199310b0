package dev.fermata.engine.slurm;

import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.live.attempt.AttemptAccounting;
import dev.fermata.live.attempt.AttemptVariables;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.RankMap;
import dev.fermata.live.spec.EngineSpec;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns an attempt into the files that its job reads, and the options of sbatch that place it exactly as decided. */
final class JobSubmission {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 10_000;

    private final SlurmServices services;
    private final Launch launch;
    private final AttemptFiles files;
    private final RankMap ranks;

    JobSubmission(SlurmServices services, Launch launch, AttemptFiles files) {
        this.services = services;
        this.launch = launch;
        this.files = files;
        this.ranks = RankMap.of(launch.spec().ranks(), launch.allocation(), topology());
    }

    private Topology topology() {
        return services.topology();
    }

    // ---- files ----

    void writeFiles(AttemptAccounting accounting) throws IOException {
        JobSpec spec = launch.spec();
        Path job = services.attemptsFolder().resolve(Long.toString(launch.jobId()));
        createFolder(job);
        createFolder(files.path());
        files.write("order", accounting.requestedMillis() + "\n");
        createFolder(files.file("own"));
        Path workdir = spec.workdir().isEmpty() ? createFolder(job.resolve("work")) : Path.of(spec.workdir());
        Path checkpoints = job.resolve(
                        spec.checkpoint().dir().isEmpty()
                                ? "checkpoints"
                                : spec.checkpoint().dir())
                .normalize();
        boolean whole = spec.run().startsWith("#!");
        if (whole) {
            writeFile("script", spec.run(), OWNER);
        }
        Map<String, String> variables = variables(checkpoints);
        variables.putAll(accounting.reportVariables());
        writeFile("env", AttemptVariables.toShell(variables), FILE);
        Map<String, String> plan = new LinkedHashMap<>();
        plan.put("fermata_marker", services.marker(launch));
        plan.put("fermata_workdir", workdir.toString());
        plan.put("fermata_script", whole ? files.file("script").toString() : "");
        plan.put("fermata_command", whole ? "" : spec.run());
        plan.put("fermata_ranks", Integer.toString(usesSrun() ? launch.ranks() : 0));
        plan.put("fermata_nodes", Long.toString(hostsOfRanks().distinct().count()));
        plan.put("fermata_supervisor", services.script().toString());
        StringBuilder text = new StringBuilder();
        plan.forEach((name, value) -> text.append(name)
                .append('=')
                .append(AttemptVariables.quote(value))
                .append('\n'));
        writeFile("plan", text.toString(), FILE);
        if (usesSrun()) {
            writeRanks();
        }
        if (isUneven()) {
            writeFile("gpu-hosts", String.join("\n", hostOfEachGpu()) + "\n", FILE);
        }
        writeFile("report", "", FILE);
    }

    /** One rank starts as Slurm starts a batch script; several are started by srun. */
    private boolean usesSrun() {
        return launch.ranks() > 1;
    }

    private Stream<String> hostsOfRanks() {
        return ranks.ranks().stream()
                .map(rank ->
                        SlurmCluster.hostOf(ranks.nodes().get(rank.nodeRank()).name()));
    }

    private void writeRanks() throws IOException {
        StringBuilder table = new StringBuilder();
        for (RankMap.Rank rank : ranks.ranks()) {
            table.append(rank.rank())
                    .append(' ')
                    .append(rank.nodeRank())
                    .append(' ')
                    .append(rank.localRank())
                    .append(' ')
                    .append(ranks.nodes().get(rank.nodeRank()).ranks())
                    .append('\n');
        }
        writeFile("ranks", table.toString(), FILE);
        writeFile("hosts", String.join("\n", hostsOfRanks().toList()) + "\n", FILE);
    }

    /** What Slurm sets stays as Slurm sets it. */
    private Map<String, String> variables(Path checkpoints) {
        JobSpec spec = launch.spec();
        Map<String, String> set = new LinkedHashMap<>();
        AttemptVariables.addRequested(set, spec);
        AttemptVariables.add(
                set,
                launch,
                SlurmSignals.nameOf(spec),
                new AttemptVariables.Folders(files.path(), checkpoints, services.python()));
        String master =
                services.cluster().address(topology().node(launch.allocation().node(0)));
        int port = FIRST_PORT + (int) ((launch.jobId() * 7 + launch.attempt()) % PORTS);
        ranks.variables(master, port).forEach((name, value) -> {
            boolean ofSlurm = name.startsWith("SLURM_");
            boolean ofRanks = name.equals("WORLD_SIZE");
            if (!ofSlurm && (!ofRanks || usesSrun())) {
                set.put(name, value);
            }
        });
        return set;
    }

    private Path createFolder(Path path) throws IOException {
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(path + " is in the way", e);
            }
        }
        return path;
    }

    private void writeFile(String name, String text, Set<PosixFilePermission> mode) throws IOException {
        Path file = files.file(name);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
        Files.writeString(file, text);
    }

    // ---- options of sbatch ----

    List<String> arguments() {
        JobSpec spec = launch.spec();
        EngineSpec.SlurmSpec slurm = spec.engine().slurm();
        List<String> arguments = new ArrayList<>();
        arguments.add("--job-name=" + jobName(spec.name()));
        arguments.add("--comment=" + services.marker(launch));
        arguments.add("--no-requeue"); // the next attempt is a job of its own
        arguments.add("--export=ALL");
        arguments.add("--open-mode=append");
        boolean srun = usesSrun();
        arguments.add("--output=" + files.file(srun ? "srun.log" : "stdout.0"));
        arguments.add("--error=" + files.file(srun ? "srun.log" : "stderr.0"));
        arguments.add("--chdir=" + files.path());
        addPlacement(arguments);
        addHost(arguments);
        String partition = slurm.partition().isEmpty() ? services.settings().partition() : slurm.partition();
        addText(arguments, "partition", partition);
        addText(arguments, "account", slurm.account());
        addText(arguments, "qos", slurm.qos());
        addText(arguments, "constraint", slurm.constraint());
        addText(arguments, "reservation", slurm.reservation());
        @Nullable SlurmPartition known = services.partition(partition);
        if (known != null && known.limited()) {
            arguments.add("--time=" + known.maxTime()); // Fermata keeps the job's own limit
        }
        arguments.add(services.script().toString());
        arguments.add(files.path().toString());
        arguments.add("batch");
        return arguments;
    }

    /** The environment of sbatch beyond that of every command. */
    Map<String, String> environment() {
        return isUneven() ? Map.of("SLURM_HOSTFILE", files.file("gpu-hosts").toString()) : Map.of();
    }

    private static void addText(List<String> arguments, String option, String value) {
        if (!value.isEmpty()) {
            arguments.add("--" + option + "=" + value);
        }
    }

    private static String jobName(String name) {
        String plain = name.replaceAll("[^A-Za-z0-9._:+@/-]", "_");
        return plain.isEmpty() ? "fermata" : plain.substring(0, Math.min(64, plain.length()));
    }

    /** Whether its nodes give different numbers of GPUs; Slurm then takes a task for each GPU, on the node of that GPU. */
    private boolean isUneven() {
        int first = launch.allocation().gpusOn(0);
        for (int i = 1; i < launch.allocation().nodeCount(); i++) {
            if (launch.allocation().gpusOn(i) != first) {
                return true;
            }
        }
        return false;
    }

    private List<String> hostOfEachGpu() {
        List<String> hosts = new ArrayList<>();
        for (int i = 0; i < launch.allocation().nodeCount(); i++) {
            String host =
                    SlurmCluster.hostOf(topology().node(launch.allocation().node(i)));
            for (int g = 0; g < launch.allocation().gpusOn(i); g++) {
                hosts.add(host);
            }
        }
        return hosts;
    }

    private void addPlacement(List<String> arguments) {
        List<String> hosts = hostOfEachGpu();
        long nodes = hosts.stream().distinct().count();
        Node first = topology().node(launch.allocation().node(0));
        String type = SlurmCluster.gresTypeOf(first).isEmpty() ? "" : SlurmCluster.gresTypeOf(first) + ":";
        arguments.add("--nodes=" + nodes);
        if (isUneven()) {
            arguments.add("--distribution=arbitrary");
            arguments.add("--ntasks=" + hosts.size());
            arguments.add("--gpus-per-task=" + type + "1");
        } else {
            arguments.add(
                    "--nodelist=" + String.join(",", hosts.stream().distinct().toList()));
            arguments.add("--gpus-per-node=" + type + launch.allocation().gpusOn(0));
        }
    }

    /** CPUs and memory are per GPU in a job file. Without a demand for memory Slurm may give the whole node to one job. */
    private void addHost(List<String> arguments) {
        JobSpec spec = launch.spec();
        if (spec.cpuMilli() > 0) {
            long cpus = (spec.cpuMilli() + 999) / 1000;
            arguments.add((isUneven() ? "--cpus-per-task=" : "--cpus-per-gpu=") + cpus);
        }
        long memory = spec.memoryMib();
        if (memory == 0 && services.sharesMemory(spec.engine().slurm().partition())) {
            memory = Long.MAX_VALUE;
            for (int i = 0; i < launch.allocation().nodeCount(); i++) {
                Node node = topology().node(launch.allocation().node(i));
                memory = Math.min(memory, services.cluster().memoryPerGpuMib(node));
            }
        }
        if (memory > 0) {
            arguments.add("--mem-per-gpu=" + memory + "M");
        }
    }
}
