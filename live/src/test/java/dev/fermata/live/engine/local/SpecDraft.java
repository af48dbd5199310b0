package dev.fermata.live.engine.local;

import dev.fermata.core.model.JobClass;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A job for tests: one GPU, two minutes of grace, whatever else is said. */
final class SpecDraft {
    private final String run;
    private int gpus = 1;
    private int ranks = 1;
    private long cpuMilli;
    private long memoryMib;
    private long limitMillis;
    private long graceMillis = 120_000;
    private String signal = "TERM";
    private String checkpointDir = "";
    private long everyMillis;
    private String workdir = "";
    private JobSpec.Array array = JobSpec.Array.NONE;
    private final Map<String, String> env = new LinkedHashMap<>();

    SpecDraft(String run) {
        this.run = run;
    }

    SpecDraft gpus(int value) {
        gpus = value;
        return this;
    }

    SpecDraft ranks(int value) {
        ranks = value;
        return this;
    }

    SpecDraft host(long cpus, long mib) {
        cpuMilli = cpus;
        memoryMib = mib;
        return this;
    }

    SpecDraft limitMillis(long value) {
        limitMillis = value;
        return this;
    }

    SpecDraft grace(long millis) {
        graceMillis = millis;
        return this;
    }

    SpecDraft signal(String value) {
        signal = value;
        return this;
    }

    SpecDraft checkpointDir(String value) {
        checkpointDir = value;
        return this;
    }

    SpecDraft everyMillis(long value) {
        everyMillis = value;
        return this;
    }

    SpecDraft workdir(String value) {
        workdir = value;
        return this;
    }

    SpecDraft array(int index, int size) {
        array = new JobSpec.Array(index, size, 0);
        return this;
    }

    SpecDraft env(String name, String value) {
        env.put(name, value);
        return this;
    }

    JobSpec spec() {
        return new JobSpec(
                "a job",
                "default",
                JobClass.BATCH,
                gpus,
                gpus,
                List.of(),
                0,
                cpuMilli,
                memoryMib,
                0,
                limitMillis,
                0,
                false,
                JobSpec.Locality.ANY,
                new JobSpec.Preempt(graceMillis, 0, 10, "requeue"),
                new JobSpec.Checkpoint(signal, checkpointDir, everyMillis),
                List.of(),
                array,
                ranks,
                env,
                List.of(),
                workdir,
                run);
    }
}
