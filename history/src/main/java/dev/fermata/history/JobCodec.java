package dev.fermata.history;

import static dev.fermata.history.JsonFields.NODES;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.core.model.RunFeatures;
import dev.fermata.core.model.SuspendCosts;
import java.util.Map;
import java.util.TreeMap;

/** A job and what it consists of, as JSON. Field names are written here and nowhere else: renaming a Java method changes no file. */
final class JobCodec {
    private JobCodec() {}

    static ObjectNode write(Job job) {
        ObjectNode node = NODES.objectNode();
        node.put("id", job.id());
        node.put("name", job.name());
        node.put("user", job.user());
        node.put("queue", job.queue());
        node.put("jobClass", ConstantNames.JOB_CLASSES.of(job.jobClass()));
        node.set("demand", demand(job.demand()));
        node.set("profile", profile(job.profile()));
        node.set("costs", costs(job.costs()));
        node.put("declaredMillis", job.declaredMillis());
        node.put("iterations", job.iterations());
        node.put("graceMillis", job.graceMillis());
        node.put("checkpointMillis", job.checkpointMillis());
        if (job.features().isKnown()) {
            node.set("features", features(job.features()));
        }
        node.put("priority", job.priority());
        node.put("maxPreemptions", job.maxPreemptions());
        node.put("maxOutOfMemory", job.maxOutOfMemory());
        node.put("limitMillis", job.limitMillis());
        node.put("minRuntimeMillis", job.minRuntimeMillis());
        node.set("dependencies", JsonFields.array(job.dependencies(), JobCodec::dependency));
        node.set("array", array(job.array()));
        node.set("locality", locality(job.locality()));
        node.set("profileFirst", profileFirst(job.profileFirst()));
        return node;
    }

    static Job read(JsonNode node) {
        return Job.builder(node.path("id").asLong(), 1)
                .demand(demand(node.path("demand")))
                .name(node.path("name").asText())
                .user(node.path("user").asText())
                .queue(node.path("queue").asText())
                .jobClass(ConstantNames.JOB_CLASSES.read(node, "jobClass", JobClass.BATCH))
                .profile(profile(node.path("profile")))
                .costs(costs(node.path("costs")))
                .declaredMillis(node.path("declaredMillis").asLong())
                .iterations(node.path("iterations").asLong())
                .graceMillis(node.path("graceMillis").asLong())
                .checkpointMillis(node.path("checkpointMillis").asLong())
                .features(features(node.path("features")))
                .priority(node.path("priority").asInt())
                .maxPreemptions(node.path("maxPreemptions").asInt())
                .maxOutOfMemory(node.path("maxOutOfMemory").asInt())
                .limitMillis(node.path("limitMillis").asLong())
                .minRuntimeMillis(node.path("minRuntimeMillis").asLong())
                .dependencies(JsonFields.list(node.path("dependencies"), JobCodec::dependency))
                .array(array(node.path("array")))
                .locality(locality(node.path("locality")))
                .profileFirst(profileFirst(node.path("profileFirst")))
                .build();
    }

    private static ObjectNode features(RunFeatures features) {
        ObjectNode node = NODES.objectNode().put("program", features.program());
        ObjectNode options = node.putObject("options");
        features.options().forEach(options::put);
        return node.put("steps", features.steps()).put("epochs", features.epochs());
    }

    private static RunFeatures features(JsonNode node) {
        Map<String, String> options = new TreeMap<>();
        node.path("options")
                .properties()
                .forEach(field -> options.put(field.getKey(), field.getValue().asText()));
        return node.isObject()
                ? new RunFeatures(
                        node.path("program").asText(),
                        options,
                        node.path("steps").asLong(),
                        node.path("epochs").asDouble())
                : RunFeatures.NONE;
    }

    private static ObjectNode demand(Demand demand) {
        ObjectNode node = NODES.objectNode();
        node.put("minGpus", demand.minGpus());
        node.put("maxGpus", demand.maxGpus());
        node.put("gpuMemoryMib", demand.gpuMemoryMib());
        node.put("gpuMilli", demand.gpuMilli());
        node.set("gpuTypes", JsonFields.array(demand.gpuTypes(), NODES::textNode));
        node.put("cpuMilliPerGpu", demand.cpuMilliPerGpu());
        node.put("memoryMibPerGpu", demand.memoryMibPerGpu());
        if (demand.splitsBatch()) {
            node.put("splitsBatch", true);
        }
        return node;
    }

    private static Demand demand(JsonNode node) {
        return new Demand(
                node.path("minGpus").asInt(),
                node.path("maxGpus").asInt(),
                node.path("gpuMemoryMib").asInt(),
                node.path("gpuMilli").asInt(),
                JsonFields.list(node.path("gpuTypes"), JsonNode::asText),
                node.path("cpuMilliPerGpu").asLong(),
                node.path("memoryMibPerGpu").asLong(),
                node.path("splitsBatch").asBoolean());
    }

    private static ObjectNode profile(Profile profile) {
        ObjectNode node = NODES.objectNode();
        node.put("model", profile.model());
        node.put("iterationMillis", profile.iterationMillis());
        node.put("busyShare", profile.busyShare());
        node.put("gradientMib", profile.gradientMib());
        node.put("layers", profile.layers());
        node.put("peakMemoryMib", profile.peakMemoryMib());
        node.set("speedByType", JsonFields.numbers(profile.speedByType()));
        node.set("coRunSlowdown", JsonFields.numbers(profile.coRunSlowdown()));
        return node;
    }

    private static Profile profile(JsonNode node) {
        return new Profile(
                node.path("model").asText(),
                node.path("iterationMillis").asDouble(),
                node.path("busyShare").asDouble(),
                node.path("gradientMib").asDouble(),
                node.path("layers").asInt(),
                node.path("peakMemoryMib").asInt(),
                JsonFields.numbers(node.path("speedByType")),
                JsonFields.numbers(node.path("coRunSlowdown")));
    }

    private static ObjectNode costs(Costs costs) {
        ObjectNode node = NODES.objectNode();
        node.put("preemptMillis", costs.preemptMillis());
        node.put("buildMillis", costs.buildMillis());
        node.put("restoreMillis", costs.restoreMillis());
        node.put("warmupMillis", costs.warmupMillis());
        if (costs.checkpointing() != Checkpointing.ON_PREEMPTION) {
            node.put("checkpointing", ConstantNames.CHECKPOINTING.of(costs.checkpointing()));
        }
        if (costs.suspend().possible()) {
            node.set("suspend", suspend(costs.suspend()));
        }
        return node;
    }

    private static Costs costs(JsonNode node) {
        return new Costs(
                node.path("preemptMillis").asLong(),
                node.path("buildMillis").asLong(),
                node.path("restoreMillis").asLong(),
                node.path("warmupMillis").asLong(),
                ConstantNames.CHECKPOINTING.read(node, "checkpointing", Checkpointing.ON_PREEMPTION),
                node.path("suspend").isObject() ? suspend(node.path("suspend")) : SuspendCosts.CANNOT);
    }

    private static ObjectNode suspend(SuspendCosts suspend) {
        return NODES.objectNode()
                .put("outMillis", suspend.outMillis())
                .put("inMillis", suspend.inMillis())
                .put("memoryMibPerGpu", suspend.memoryMibPerGpu())
                .put("reach", ConstantNames.REACHES.of(suspend.reach()));
    }

    private static SuspendCosts suspend(JsonNode node) {
        return new SuspendCosts(
                node.path("outMillis").asLong(),
                node.path("inMillis").asLong(),
                node.path("memoryMibPerGpu").asLong(),
                ConstantNames.REACHES.read(node, "reach"));
    }

    private static ObjectNode dependency(Dependency dependency) {
        ObjectNode node = NODES.objectNode();
        node.put("jobId", dependency.jobId());
        node.put("condition", ConstantNames.CONDITIONS.of(dependency.condition()));
        return node;
    }

    private static Dependency dependency(JsonNode node) {
        return new Dependency(node.path("jobId").asLong(), ConstantNames.CONDITIONS.read(node, "condition"));
    }

    private static ObjectNode array(JobArray array) {
        ObjectNode node = NODES.objectNode();
        node.put("id", array.id());
        node.put("index", array.index());
        node.put("maxRunning", array.maxRunning());
        return node;
    }

    private static JobArray array(JsonNode node) {
        return node.isObject()
                ? new JobArray(
                        node.path("id").asLong(),
                        node.path("index").asInt(),
                        node.path("maxRunning").asInt())
                : JobArray.NONE;
    }

    private static ObjectNode locality(Locality locality) {
        ObjectNode node = NODES.objectNode();
        node.put("sufficientTier", ConstantNames.TIERS.of(locality.sufficientTier()));
        node.put("maxWaitMillis", locality.maxWaitMillis());
        return node;
    }

    private static Locality locality(JsonNode node) {
        return node.isObject()
                ? new Locality(
                        ConstantNames.TIERS.read(node, "sufficientTier"),
                        node.path("maxWaitMillis").asLong())
                : Locality.DEFAULT;
    }

    private static ObjectNode profileFirst(ProfileFirst first) {
        ObjectNode node = NODES.objectNode();
        node.put("profileKey", first.profileKey());
        node.put("waitMillis", first.waitMillis());
        return node;
    }

    private static ProfileFirst profileFirst(JsonNode node) {
        return node.isObject()
                ? new ProfileFirst(
                        node.path("profileKey").asLong(),
                        node.path("waitMillis").asLong())
                : ProfileFirst.NONE;
    }

    static ObjectNode rule(QueueRule rule) {
        ObjectNode node = NODES.objectNode();
        node.put("path", rule.path());
        node.put("guaranteeGpus", rule.guaranteeGpus());
        node.put("limitGpus", rule.limitGpus());
        node.put("weight", rule.weight());
        if (!rule.terms().equals(QueueTerms.NONE)) {
            node.set("terms", QueueTermsCodec.encode(rule.terms()));
        }
        return node;
    }

    static QueueRule rule(JsonNode node) {
        return new QueueRule(
                node.path("path").asText(),
                node.path("guaranteeGpus").asInt(),
                node.path("limitGpus").asInt(),
                node.path("weight").asDouble(),
                QueueTermsCodec.decode(node.path("terms")));
    }
}
