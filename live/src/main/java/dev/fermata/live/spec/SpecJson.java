package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobClass;
import dev.fermata.history.ConstantNames;
import dev.fermata.history.HistoryFormat;
import dev.fermata.history.RecordJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A {@link JobSpec} as stored JSON, one flat object, secrets included. It is never shown. Names are written here: renaming a Java
 * method changes no store. A missing field is empty or zero.
 */
public final class SpecJson {
    private static final RecordJson JSON = new RecordJson();

    private SpecJson() {}

    public static String write(JobSpec spec) {
        ObjectNode node = JSON.mapper().createObjectNode();
        node.put("v", HistoryFormat.VERSION);
        node.put("name", spec.name());
        node.put("queue", spec.queue());
        node.put("jobClass", ConstantNames.JOB_CLASSES.of(spec.jobClass()));
        node.put("minGpus", spec.minGpus());
        node.put("maxGpus", spec.maxGpus());
        texts(node.putArray("accelerators"), spec.accelerators());
        node.put("gpuMemoryMib", spec.gpuMemoryMib());
        node.put("cpuMilli", spec.cpuMilli());
        node.put("memoryMib", spec.memoryMib());
        if (spec.splitBatch()) {
            node.put("splitBatch", true);
        }
        node.put("timeMillis", spec.timeMillis());
        node.put("limitMillis", spec.limitMillis());
        node.put("priority", spec.priority());
        node.put("hold", spec.hold());
        node.putObject("locality")
                .put("scope", spec.locality().scope())
                .put("waitMillis", spec.locality().waitMillis());
        JobSpec.PreemptSpec preempt = spec.preempt();
        ObjectNode preemption = node.putObject("preempt")
                .put("graceMillis", preempt.graceMillis())
                .put("minRuntimeMillis", preempt.minRuntimeMillis())
                .put("maxTimes", preempt.maxTimes())
                .put("onPreempt", preempt.onPreempt());
        if (preempt.suspend() != SuspendRule.AUTO) {
            preemption.put("suspend", preempt.suspend().word());
        }
        node.putObject("checkpoint")
                .put("signal", spec.checkpoint().signal())
                .put("dir", spec.checkpoint().dir())
                .put("intervalMillis", spec.checkpoint().intervalMillis());
        ArrayNode dependencies = node.putArray("dependencies");
        spec.dependencies()
                .forEach(dependency -> dependencies
                        .addObject()
                        .put("jobId", dependency.jobId())
                        .put("condition", ConstantNames.CONDITIONS.of(dependency.condition())));
        node.putObject("array")
                .put("index", spec.array().index())
                .put("size", spec.array().size())
                .put("maxRunning", spec.array().maxRunning());
        node.put("ranks", spec.ranks());
        ObjectNode env = node.putObject("env");
        new TreeMap<>(spec.env()).forEach(env::put);
        texts(node.putArray("secrets"), spec.command().secrets());
        node.put("workdir", spec.workdir());
        node.put("run", spec.run());
        EngineSpecJson.write(spec.engine(), node);
        JobSpec.ProgressSpec progress = spec.command().progress();
        if (!progress.equals(JobSpec.ProgressSpec.NONE)) {
            node.putObject("progress").put("pattern", progress.pattern()).put("total", progress.total());
        }
        return node.toString();
    }

    public static JobSpec read(String text) {
        JsonNode node = JSON.read(text, JsonNode.class);
        HistoryFormat.requireReadable(node.path("v").asInt(1), "a job spec in the store");
        JsonNode preempt = node.path("preempt");
        JsonNode checkpoint = node.path("checkpoint");
        JsonNode array = node.path("array");
        List<Dependency> dependencies = new ArrayList<>();
        node.path("dependencies")
                .forEach(each -> dependencies.add(
                        new Dependency(each.path("jobId").asLong(), ConstantNames.CONDITIONS.read(each, "condition"))));
        Map<String, String> env = new LinkedHashMap<>();
        node.path("env")
                .properties()
                .forEach(field -> env.put(field.getKey(), field.getValue().asText()));
        return new JobSpec(
                new JobSpec.JobLabels(
                        node.path("name").asText(),
                        node.path("queue").asText(),
                        ConstantNames.JOB_CLASSES.read(node, "jobClass", JobClass.BATCH)),
                new JobSpec.ResourceSpec(
                        node.path("minGpus").asInt(),
                        node.path("maxGpus").asInt(),
                        texts(node.path("accelerators")),
                        node.path("gpuMemoryMib").asInt(),
                        node.path("cpuMilli").asLong(),
                        node.path("memoryMib").asLong(),
                        node.path("splitBatch").asBoolean()),
                new JobSpec.SchedulingSpec(
                        node.path("timeMillis").asLong(),
                        node.path("limitMillis").asLong(),
                        node.path("priority").asInt(),
                        node.path("hold").asBoolean(),
                        locality(node.path("locality"))),
                new JobSpec.PreemptSpec(
                        preempt.path("graceMillis").asLong(),
                        preempt.path("minRuntimeMillis").asLong(),
                        preempt.path("maxTimes").asInt(),
                        preempt.path("onPreempt").asText(),
                        SuspendRule.of(preempt.path("suspend").asText())),
                new JobSpec.CheckpointSpec(
                        checkpoint.path("signal").asText(),
                        checkpoint.path("dir").asText(),
                        checkpoint.path("intervalMillis").asLong()),
                dependencies,
                new JobSpec.ArraySpec(
                        array.path("index").asInt(),
                        array.path("size").asInt(),
                        array.path("maxRunning").asInt()),
                new JobSpec.CommandSpec(
                        node.path("ranks").asInt(),
                        env,
                        texts(node.path("secrets")),
                        node.path("workdir").asText(),
                        SharedScripts.of(node.path("run").asText()),
                        EngineSpecJson.read(node),
                        new JobSpec.ProgressSpec(
                                node.path("progress").path("pattern").asText(),
                                node.path("progress").path("total").asLong())));
    }

    private static JobSpec.LocalitySpec locality(JsonNode node) {
        String scope = node.has("scope")
                ? node.path("scope").asText()
                : JobSpec.LocalitySpec.scopeOfWant(node.path("want").asText());
        return new JobSpec.LocalitySpec(scope, node.path("waitMillis").asLong(-1));
    }

    private static void texts(ArrayNode array, List<String> values) {
        values.forEach(array::add);
    }

    private static List<String> texts(JsonNode array) {
        List<String> values = new ArrayList<>();
        array.forEach(each -> values.add(each.asText()));
        return values;
    }
}
