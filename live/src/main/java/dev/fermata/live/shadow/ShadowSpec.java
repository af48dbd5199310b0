package dev.fermata.live.shadow;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.spec.EngineSpec;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.PlainText;
import java.util.List;
import java.util.Map;

/** The spec of the job that stands for a job of another scheduler. Its command does nothing, should it ever run. */
public final class ShadowSpec {
    /** Names the job of the other scheduler. No user can set it, and no shell: it is no name of a variable. */
    private static final String OBSERVED = "fermata.shadow-of";

    private static final String QUEUE = "default";
    /** As for a job that requests none. */
    private static final long GRACE_MILLIS = Job.DEFAULT_GRACE_MILLIS;

    private static final int MAX_NAME = 100;

    private ShadowSpec() {}

    static JobSpec of(ObservedJob job) {
        ObservedJob.ObservedRequest request = job.request();
        String name = PlainText.withoutControls(
                job.name().substring(0, Math.min(MAX_NAME, job.name().length())));
        return new JobSpec(
                new JobSpec.JobLabels(name, QUEUE, JobClass.BATCH),
                new JobSpec.ResourceSpec(
                        request.gpus(),
                        request.gpus(),
                        request.gpuType().isEmpty() ? List.of() : List.of(request.gpuType()),
                        0,
                        request.cpuMilli(),
                        request.memoryMib(),
                        false),
                new JobSpec.SchedulingSpec(0, request.limitMillis(), 0, false, JobSpec.LocalitySpec.DEFAULT),
                new JobSpec.PreemptSpec(GRACE_MILLIS, 0, request.requeues() ? Job.UNLIMITED_PREEMPTIONS : 0, "requeue"),
                new JobSpec.CheckpointSpec("TERM", "checkpoints", 0),
                List.of(),
                JobSpec.ArraySpec.NONE,
                new JobSpec.CommandSpec(
                        1,
                        Map.of(OBSERVED, job.id()),
                        List.of(),
                        "",
                        "true " + name.replaceAll("[^A-Za-z0-9_.-]", "_"),
                        EngineSpec.NONE,
                        JobSpec.ProgressSpec.NONE));
    }

    /** The job of the other scheduler that this one stands for; empty for none. */
    public static String observed(JobSpec spec) {
        return spec.env().getOrDefault(OBSERVED, "");
    }
}
