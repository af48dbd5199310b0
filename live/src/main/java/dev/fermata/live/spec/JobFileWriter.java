package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import java.util.List;
import java.util.Locale;

/**
 * Writes a job in the form of the job file, without secrets and defaults. Parsed again it gives the same job, except for
 * secrets and its place in an array.
 */
public final class JobFileWriter {
    private JobFileWriter() {}

    public static ObjectNode write(JobSpec whole) {
        JobSpec spec = whole.redact();
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        job.put("name", spec.name());
        job.put("queue", spec.queue());
        job.put("class", spec.jobClass().label());
        if (spec.minGpus() == spec.maxGpus()) {
            job.put("gpus", spec.minGpus());
        } else {
            job.putObject("gpus").put("min", spec.minGpus()).put("max", spec.maxGpus());
        }
        texts(job, "accelerators", spec.accelerators());
        size(job, "gpuMemory", spec.gpuMemoryMib());
        if (spec.cpuMilli() > 0) {
            job.put("cpus", spec.cpuMilli() / 1000.0);
        }
        size(job, "memory", spec.memoryMib());
        if (spec.splitBatch()) {
            job.put("splitBatch", true);
        }
        time(job, "time", spec.timeMillis());
        time(job, "limit", spec.limitMillis());
        if (spec.priority() != 0) {
            job.put("priority", spec.priority());
        }
        if (spec.hold()) {
            job.put("hold", true);
        }
        locality(job, spec.locality());
        preempt(job.putObject("preempt"), spec.preempt());
        ObjectNode checkpoint = job.putObject("checkpoint");
        checkpoint.put("signal", spec.checkpoint().signal());
        checkpoint.put("dir", spec.checkpoint().dir());
        time(checkpoint, "every", spec.checkpoint().intervalMillis());
        dependencies(job, spec.dependencies());
        if (spec.ranks() == JobSpec.RANK_PER_GPU) {
            job.put("ranks", "gpus");
        } else if (spec.ranks() == JobSpec.RANK_PER_NODE) {
            job.put("ranks", "nodes");
        } else if (spec.ranks() != 1) {
            job.put("ranks", spec.ranks());
        }
        if (!spec.env().isEmpty()) {
            ObjectNode env = job.putObject("env");
            spec.env().forEach(env::put);
        }
        texts(job, "secrets", spec.secrets());
        if (!spec.workdir().isEmpty()) {
            job.put("workdir", spec.workdir());
        }
        EngineSpecJson.write(spec.engine(), job);
        progress(job, spec.command().progress());
        return job.put("run", spec.run());
    }

    private static void locality(ObjectNode job, JobSpec.LocalitySpec locality) {
        if (locality.equals(JobSpec.LocalitySpec.DEFAULT)) {
            return;
        }
        ObjectNode node = job.putObject("locality").put("scope", locality.scope());
        if (locality.waitMillis() < 0) {
            node.put("wait", "auto");
        } else if (locality.waitMillis() == 0) {
            node.put("wait", "none");
        } else {
            time(node, "wait", locality.waitMillis());
        }
    }

    private static void preempt(ObjectNode node, JobSpec.PreemptSpec preempt) {
        node.put("grace", text(preempt.graceMillis()));
        time(node, "minRuntime", preempt.minRuntimeMillis());
        if (preempt.maxTimes() != Job.UNLIMITED_PREEMPTIONS) {
            node.put("maxTimes", preempt.maxTimes());
        }
        node.put("onPreempt", preempt.onPreempt());
        if (preempt.suspend() != SuspendRule.AUTO) {
            node.put("suspend", preempt.suspend().word());
        }
    }

    private static void progress(ObjectNode job, JobSpec.ProgressSpec progress) {
        if (progress.equals(JobSpec.ProgressSpec.NONE)) {
            return;
        }
        ObjectNode node = job.putObject("progress");
        if (!progress.pattern().isEmpty()) {
            node.put("pattern", progress.pattern());
        }
        if (progress.total() > 0) {
            node.put("total", progress.total());
        }
    }

    private static void dependencies(ObjectNode job, List<Dependency> after) {
        if (after.isEmpty()) {
            return;
        }
        ArrayNode list = job.putArray("after");
        after.forEach(a -> list.add(a.jobId() + ":" + a.condition().name().toLowerCase(Locale.ROOT)));
    }

    private static void texts(ObjectNode job, String key, List<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode list = job.putArray(key);
            texts.forEach(list::add);
        }
    }

    private static void size(ObjectNode job, String key, long mebibytes) {
        if (mebibytes > 0) {
            job.put(key, mebibytes + "MiB");
        }
    }

    private static void time(ObjectNode job, String key, long millis) {
        if (millis > 0) {
            job.put(key, text(millis));
        }
    }

    private static String text(long millis) {
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}
