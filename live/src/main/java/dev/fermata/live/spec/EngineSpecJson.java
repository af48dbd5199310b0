package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.live.spec.EngineSpec.KubernetesSpec;
import dev.fermata.live.spec.EngineSpec.SlurmSpec;
import dev.fermata.live.spec.EngineSpec.Volume;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An {@link EngineSpec} in JSON, in the job file and in the store alike. Empty parts are left out. */
final class EngineSpecJson {
    private static final Pattern VOLUME = Pattern.compile("([^:]*):(.*?)(:ro)?");

    private EngineSpecJson() {}

    static void write(EngineSpec spec, ObjectNode job) {
        put(job, "image", spec.image());
        SlurmSpec slurm = spec.slurm();
        if (!slurm.equals(SlurmSpec.NONE)) {
            ObjectNode node = job.putObject("slurm");
            put(node, "partition", slurm.partition());
            put(node, "account", slurm.account());
            put(node, "qos", slurm.qos());
            put(node, "constraint", slurm.constraint());
            put(node, "reservation", slurm.reservation());
        }
        KubernetesSpec kubernetes = spec.kubernetes();
        if (!kubernetes.equals(KubernetesSpec.NONE)) {
            ObjectNode node = job.putObject("kubernetes");
            put(node, "namespace", kubernetes.namespace());
            put(node, "serviceAccount", kubernetes.serviceAccount());
            if (!kubernetes.nodeSelector().isEmpty()) {
                ObjectNode selector = node.putObject("nodeSelector");
                kubernetes.nodeSelector().forEach(selector::put);
            }
            if (!kubernetes.volumes().isEmpty()) {
                var volumes = node.putArray("volumes");
                kubernetes.volumes().forEach(volume -> volumes.add(volume.text()));
            }
        }
    }

    /** Reads what {@link #write} has written. */
    static EngineSpec read(JsonNode job) {
        JsonNode slurm = job.path("slurm");
        JsonNode kubernetes = job.path("kubernetes");
        Map<String, String> selector = new LinkedHashMap<>();
        kubernetes
                .path("nodeSelector")
                .properties()
                .forEach(label -> selector.put(label.getKey(), label.getValue().asText()));
        List<Volume> volumes = new ArrayList<>();
        for (JsonNode each : kubernetes.path("volumes")) {
            Matcher m = VOLUME.matcher(each.asText());
            if (m.matches()) {
                volumes.add(new Volume(m.group(1), m.group(2), m.group(3) != null));
            }
        }
        return new EngineSpec(
                job.path("image").asText(),
                new SlurmSpec(
                        slurm.path("partition").asText(),
                        slurm.path("account").asText(),
                        slurm.path("qos").asText(),
                        slurm.path("constraint").asText(),
                        slurm.path("reservation").asText()),
                new KubernetesSpec(
                        kubernetes.path("namespace").asText(),
                        kubernetes.path("serviceAccount").asText(),
                        selector,
                        volumes));
    }

    private static void put(ObjectNode node, String key, String text) {
        if (!text.isEmpty()) {
            node.put(key, text);
        }
    }
}
