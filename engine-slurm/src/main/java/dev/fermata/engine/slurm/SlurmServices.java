package dev.fermata.engine.slurm;

import dev.fermata.core.model.Topology;
import dev.fermata.live.attempt.AttemptRegistry;
import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.Launch;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What all attempts of one engine share. */
record SlurmServices(
        SlurmSettings settings,
        SlurmController controller,
        SlurmSite site,
        SharedFiles files,
        EngineExecutor executor,
        AttemptRegistry attempts,
        Consumer<EngineEvent> events) {
    /**
     * What Slurm is.
     *
     * @param id distinguishes the attempts of this data folder from those of another one on the same Slurm
     * @param cluster its nodes, as they were read last
     * @param topology the cluster in the numbers of the history, which are known when the engine is opened
     */
    record SlurmSite(
            String id,
            AtomicReference<SlurmCluster> cluster,
            Map<String, SlurmPartition> partitions,
            Map<String, String> config,
            AtomicReference<Topology> topology) {
        /** Whether sacct knows jobs that the controller has forgotten. */
        boolean keepsRecords() {
            return config.getOrDefault("AccountingStorageType", "").endsWith("slurmdbd");
        }
    }

    /**
     * Files on shared storage that every attempt uses.
     *
     * @param script supervises an attempt on its nodes
     * @param python the folder of the Python helper
     */
    record SharedFiles(Path attemptsFolder, Path script, Path python) {}

    private static final String MARKER = "fermata:";

    Topology topology() {
        return Objects.requireNonNull(site.topology.get());
    }

    SlurmCluster cluster() {
        return Objects.requireNonNull(site.cluster.get());
    }

    Path attemptsFolder() {
        return files.attemptsFolder;
    }

    Path script() {
        return files.script;
    }

    Path python() {
        return files.python;
    }

    long nowMillis() {
        return executor.nowMillis();
    }

    /** The comment of the Slurm job of an attempt, by which a later daemon finds it. */
    String marker(Launch launch) {
        return markerPrefix() + launch.jobId() + "." + launch.attempt();
    }

    String markerPrefix() {
        return MARKER + site.id + ":";
    }

    /** The account under which an attempt runs. */
    String account(Launch launch) {
        return settings.asUsers() ? launch.user() : System.getProperty("user.name");
    }

    /** The partition of this name; the default one for the empty name. */
    @Nullable
    SlurmPartition partition(String name) {
        if (!name.isEmpty()) {
            return site.partitions.get(name);
        }
        return site.partitions.values().stream()
                .filter(SlurmPartition::isDefault)
                .findFirst()
                .orElse(null);
    }

    /** Whether a job that requests no memory would get all of a node's. */
    boolean sharesMemory(String partition) {
        boolean counted = site.config
                .getOrDefault("SelectTypeParameters", "")
                .toUpperCase(Locale.ROOT)
                .contains("MEMORY");
        boolean set = site.config.containsKey("DefMemPerCPU")
                || !SlurmPartition.isUnlimited(site.config.getOrDefault("DefMemPerNode", ""));
        SlurmPartition known = partition(partition.isEmpty() ? settings.partition() : partition);
        return counted && !set && (known == null || !known.setsMemory());
    }
}
