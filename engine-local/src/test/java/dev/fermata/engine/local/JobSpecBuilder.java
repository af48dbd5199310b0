package dev.fermata.engine.local;

import dev.fermata.core.model.JobClass;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a job for tests: one GPU and two minutes of grace by default. */
final class JobSpecBuilder {
    private final String run;
    private int gpus = 1;
    private int ranks = 1;
    private long cpuMilli;
    private long memoryMib;
    private long limitMillis;
    private long graceMillis = 120_000;
    private String signal = "TERM";
    private String checkpointDir = "";
    private long intervalMillis;
    private String workdir = "";
    private JobSpec.ArraySpec array = JobSpec.ArraySpec.NONE;
    private final Map<String, String> env = new LinkedHashMap<>();

    JobSpecBuilder(String run) {
        this.run = run;
    }

    JobSpecBuilder gpus(int value) {
        gpus = value;
        return this;
    }

    JobSpecBuilder ranks(int value) {
        ranks = value;
        return this;
    }

    JobSpecBuilder cpusAndMemory(long cpus, long mib) {
        cpuMilli = cpus;
        memoryMib = mib;
        return this;
    }

    JobSpecBuilder limitMillis(long value) {
        limitMillis = value;
        return this;
    }

    JobSpecBuilder grace(long millis) {
        graceMillis = millis;
        return this;
    }

    JobSpecBuilder signal(String value) {
        signal = value;
        return this;
    }

    JobSpecBuilder checkpointDir(String value) {
        checkpointDir = value;
        return this;
    }

    JobSpecBuilder intervalMillis(long value) {
        intervalMillis = value;
        return this;
    }

    JobSpecBuilder workdir(String value) {
        workdir = value;
        return this;
    }

    JobSpecBuilder array(int index, int size) {
        array = new JobSpec.ArraySpec(index, size, 0);
        return this;
    }

    JobSpecBuilder env(String name, String value) {
        env.put(name, value);
        return this;
    }

    JobSpec build() {
        return new JobSpec(
                new JobSpec.JobLabels("a job", "default", JobClass.BATCH),
                new JobSpec.ResourceSpec(gpus, gpus, List.of(), 0, cpuMilli, memoryMib, false),
                new JobSpec.SchedulingSpec(0, limitMillis, 0, false, JobSpec.LocalitySpec.DEFAULT),
                new JobSpec.PreemptSpec(graceMillis, 0, 10, "requeue"),
                new JobSpec.CheckpointSpec(signal, checkpointDir, intervalMillis),
                List.of(),
                array,
                new JobSpec.CommandSpec(ranks, env, List.of(), workdir, run));
    }
}
