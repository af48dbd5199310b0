package dev.fermata.live.spec;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a job requests of an engine beyond GPUs and a command. Decisions never depend on it. Text is empty for none.
 *
 * @param image the container image to run in
 */
public record EngineSpec(String image, SlurmSpec slurm, KubernetesSpec kubernetes) {
    public static final EngineSpec NONE = new EngineSpec("", SlurmSpec.NONE, KubernetesSpec.NONE);

    /** In Slurm's words. */
    public record SlurmSpec(String partition, String account, String qos, String constraint, String reservation) {
        public static final SlurmSpec NONE = new SlurmSpec("", "", "", "", "");
    }

    /** In Kubernetes' words. */
    public record KubernetesSpec(
            String namespace, String serviceAccount, Map<String, String> nodeSelector, List<Volume> volumes) {
        public static final KubernetesSpec NONE = new KubernetesSpec("", "", Map.of(), List.of());

        public KubernetesSpec {
            nodeSelector = Collections.unmodifiableMap(new TreeMap<>(nodeSelector));
            volumes = List.copyOf(volumes);
        }
    }

    /** A persistent volume claim, mounted at an absolute path. */
    public record Volume(String claim, String path, boolean readOnly) {
        /** As in the job file: {@code CLAIM:PATH}, with {@code :ro} for read-only. */
        public String text() {
            return claim + ":" + path + (readOnly ? ":ro" : "");
        }
    }

    /** The options in use. */
    public Set<EngineOption> options() {
        Set<EngineOption> used = EnumSet.noneOf(EngineOption.class);
        if (!image.isEmpty()) {
            used.add(EngineOption.IMAGE);
        }
        if (!slurm.equals(SlurmSpec.NONE)) {
            used.add(EngineOption.SLURM);
        }
        if (!kubernetes.equals(KubernetesSpec.NONE)) {
            used.add(EngineOption.KUBERNETES);
        }
        return used;
    }

    /** Why an engine that serves only these options cannot run the job, or null. */
    public @Nullable String rejectionReason(String engine, Collection<EngineOption> served) {
        for (EngineOption option : options()) {
            if (!served.contains(option)) {
                return option.key() + " cannot be used here: the engine " + engine + " has no " + option.meaning()
                        + ". Leave it out, or submit to a daemon whose engine has them.";
            }
        }
        return null;
    }
}
