package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.insight.exit.UserError;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of a job: the fields of the job file, which they override. */
final class JobFlags {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}(\\.[0-9]{1,9})?");

    @Option(
            names = "--gpus",
            paramLabel = "N",
            description = "GPUs, or MIN-MAX for a job that accepts any number between (default: 1).")
    private @Nullable String gpus;

    @Option(
            names = "--class",
            paramLabel = "CLASS",
            description = "trial (short, should start now) or batch (default).")
    private @Nullable String jobClass;

    @Option(names = "--name", paramLabel = "TEXT", description = "Its name.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "PATH", description = "Its queue, such as research/nlp.")
    private @Nullable String queue;

    @Option(
            names = "--time",
            paramLabel = "TIME",
            description = "Your estimate of its run time, such as 90s, 20m or 4h; learned when absent.")
    private @Nullable String time;

    @Option(names = "--limit", paramLabel = "TIME", description = "Stopped after running this long.")
    private @Nullable String limit;

    @Option(
            names = "--priority",
            paramLabel = "N",
            description = "Higher goes first, where the policy uses priorities.")
    private @Nullable Integer priority;

    @Option(names = "--hold", description = "Wait until it is released.")
    private boolean hold;

    @Option(
            names = "--after",
            paramLabel = "ID[:END]",
            split = ",",
            description = "Wait for these jobs to end: 12 or 12:success, 12:failure, 12:any.")
    private @Nullable List<String> after;

    @Option(
            names = "--array",
            paramLabel = "RANGE",
            description = "An array of equal jobs: 0-31, or 0-31%%4 for four at a time.")
    private @Nullable String array;

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description = "A variable for it; without a value, yours. May be given several times.")
    private @Nullable List<String> env;

    @Option(names = "--secret", paramLabel = "NAME[=VALUE]", description = "The same, and its value is never shown.")
    private @Nullable List<String> secret;

    @Option(names = "--gpu-memory", paramLabel = "SIZE", description = "Peak memory per GPU, such as 40GiB.")
    private @Nullable String gpuMemory;

    @Option(
            names = "--accelerators",
            paramLabel = "TYPE",
            split = ",",
            description = "GPU types it accepts, such as H100,A100.")
    private @Nullable List<String> accelerators;

    @Option(names = "--cpus", paramLabel = "N", description = "CPUs per GPU.")
    private @Nullable String cpus;

    @Option(names = "--memory", paramLabel = "SIZE", description = "RAM per GPU, such as 64GiB.")
    private @Nullable String memory;

    @Option(
            names = "--ranks",
            paramLabel = "N|gpus|nodes",
            description = "Processes to start, each with its RANK; gpus or nodes for one on each (default: 1).")
    private @Nullable String ranks;

    @Option(
            names = "--workdir",
            paramLabel = "DIR",
            description = "Where it runs (default: here); none for a folder of its own.")
    private @Nullable String workdir;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            description = "How long it may take to save when it is paused (default: 2m).")
    private @Nullable String grace;

    @Option(
            names = "--preempt",
            paramLabel = "never|allowed",
            description = "never: it is not paused for other jobs (default: allowed).")
    private @Nullable String preempt;

    @Option(
            names = "--signal",
            paramLabel = "NAME",
            description = "The signal to save: TERM (default), USR1, USR2 or INT.")
    private @Nullable String signal;

    @Option(
            names = "--checkpoint-dir",
            paramLabel = "DIR",
            description = "Where it saves; relative ones are below its own folder.")
    private @Nullable String checkpointDir;

    void applyTo(ObjectNode job, Map<String, String> environment) {
        text(job, "class", jobClass);
        text(job, "name", name);
        text(job, "queue", queue);
        text(job, "time", time);
        text(job, "limit", limit);
        text(job, "array", array);
        text(job, "gpuMemory", gpuMemory);
        number(job, "cpus", cpus);
        text(job, "memory", memory);
        number(job, "ranks", ranks);
        gpus(job);
        if (priority != null) {
            job.put("priority", priority);
        }
        if (hold) {
            job.put("hold", true);
        }
        list(job, "after", after);
        list(job, "accelerators", accelerators);
        variables(job, env, false, environment);
        variables(job, secret, true, environment);
        if (workdir != null) {
            job.put("workdir", workdir);
        }
        preempt(job);
        putNested(job, "preempt", "grace", grace);
        putNested(job, "checkpoint", "signal", signal);
        putNested(job, "checkpoint", "dir", checkpointDir);
    }

    private void preempt(ObjectNode job) {
        if (preempt != null && !preempt.equals("never") && !preempt.equals("allowed")) {
            throw UserError.invalid("--preempt (" + preempt + ") must be never or allowed");
        }
        boolean neverInFile = job.path("preempt").asText("").equals("never");
        if (neverInFile) {
            job.putObject("preempt").put("maxTimes", 0);
        }
        if (preempt != null) {
            ObjectNode node = job.withObjectProperty("preempt");
            if (preempt.equals("never")) {
                node.put("maxTimes", 0);
            } else {
                node.remove("maxTimes");
            }
        }
    }

    private void gpus(ObjectNode job) {
        if (gpus == null) {
            return;
        }
        int dash = gpus.indexOf('-', 1);
        if (dash < 0) {
            number(job, "gpus", gpus);
        } else {
            ObjectNode range = job.putObject("gpus");
            number(range, "min", gpus.substring(0, dash));
            number(range, "max", gpus.substring(dash + 1));
        }
    }

    /** Flags are sent as text; the daemon refuses what is no number. */
    private static void number(ObjectNode job, String key, @Nullable String value) {
        if (value != null && NUMBER.matcher(value).matches()) {
            job.put(key, new BigDecimal(value));
        } else {
            text(job, key, value);
        }
    }

    private static void text(ObjectNode job, String key, @Nullable String value) {
        if (value != null) {
            job.put(key, value);
        }
    }

    private static void putNested(ObjectNode job, String parent, String key, @Nullable String value) {
        if (value != null) {
            job.withObjectProperty(parent).put(key, value);
        }
    }

    private static void list(ObjectNode job, String key, @Nullable List<String> values) {
        if (values != null) {
            ArrayNode array = job.putArray(key);
            values.forEach(value -> array.add(value.strip()));
        }
    }

    private static void variables(
            ObjectNode job, @Nullable List<String> given, boolean secret, Map<String, String> environment) {
        if (given == null) {
            return;
        }
        for (String pair : given) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? environment.get(name) : pair.substring(equals + 1);
            if (value == null) {
                throw UserError.invalid((secret ? "--secret " : "--env ") + name
                        + ": no such variable is set here; give " + name + "=VALUE");
            }
            job.withObjectProperty("env").put(name, value);
            if (secret) {
                job.withArrayProperty("secrets").add(name);
            }
        }
    }
}
