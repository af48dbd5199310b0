package dev.fermata.live.engine;

import dev.fermata.core.model.JobClass;
import dev.fermata.live.spec.EngineSpec;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a job for tests: one GPU and two minutes of grace by default. */
public final class JobSpecBuilder {
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
    private EngineSpec.SlurmSpec slurm = EngineSpec.SlurmSpec.NONE;
    private final Map<String, String> env = new LinkedHashMap<>();

    public JobSpecBuilder(String run) {
        this.run = run;
    }

    public JobSpecBuilder gpus(int value) {
        gpus = value;
        return this;
    }

    public JobSpecBuilder ranks(int value) {
        ranks = value;
        return this;
    }

    public JobSpecBuilder cpusAndMemory(long cpus, long mib) {
        cpuMilli = cpus;
        memoryMib = mib;
        return this;
    }

    public JobSpecBuilder limitMillis(long value) {
        limitMillis = value;
        return this;
    }

    public JobSpecBuilder grace(long millis) {
        graceMillis = millis;
        return this;
    }

    public JobSpecBuilder signal(String value) {
        signal = value;
        return this;
    }

    public JobSpecBuilder checkpointDir(String value) {
        checkpointDir = value;
        return this;
    }

    public JobSpecBuilder intervalMillis(long value) {
        intervalMillis = value;
        return this;
    }

    public JobSpecBuilder workdir(String value) {
        workdir = value;
        return this;
    }

    public JobSpecBuilder array(int index, int size) {
        array = new JobSpec.ArraySpec(index, size, 0);
        return this;
    }

    public JobSpecBuilder env(String name, String value) {
        env.put(name, value);
        return this;
    }

    public JobSpecBuilder slurm(EngineSpec.SlurmSpec value) {
        slurm = value;
        return this;
    }

    public JobSpec build() {
        return new JobSpec(
                new JobSpec.JobLabels("a job", "default", JobClass.BATCH),
                new JobSpec.ResourceSpec(gpus, gpus, List.of(), 0, cpuMilli, memoryMib, false),
                new JobSpec.SchedulingSpec(0, limitMillis, 0, false, JobSpec.LocalitySpec.DEFAULT),
                new JobSpec.PreemptSpec(graceMillis, 0, 10, "requeue"),
                new JobSpec.CheckpointSpec(signal, checkpointDir, intervalMillis),
                List.of(),
                array,
                new JobSpec.CommandSpec(
                        ranks,
                        env,
                        List.of(),
                        workdir,
                        run,
                        new EngineSpec("", slurm, EngineSpec.KubernetesSpec.NONE),
                        JobSpec.ProgressSpec.NONE));
    }
}
