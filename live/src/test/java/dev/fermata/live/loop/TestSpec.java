package dev.fermata.live.loop;

import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.live.spec.EngineSpec;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Map;

/** Builder of small job specs; every method changes one setting. */
public record TestSpec(JobSpec spec) {
    public static TestSpec gpus(int gpus) {
        return new TestSpec(new JobSpec(
                new JobSpec.JobLabels("job", "default", JobClass.BATCH),
                new JobSpec.ResourceSpec(gpus, gpus, List.of(), 0, 0, 0, false),
                new JobSpec.SchedulingSpec(0, 0, 0, false, JobSpec.LocalitySpec.DEFAULT),
                new JobSpec.PreemptSpec(30_000, 0, Job.UNLIMITED_PREEMPTIONS, "requeue"),
                new JobSpec.CheckpointSpec("TERM", "checkpoints", 0),
                List.of(),
                JobSpec.ArraySpec.NONE,
                new JobSpec.CommandSpec(1, Map.of(), List.of(), "", "true")));
    }

    /** The job runs in a container image. */
    TestSpec image(String image) {
        JobSpec.CommandSpec command = spec.command();
        return new TestSpec(new JobSpec(
                spec.labels(),
                spec.resources(),
                spec.scheduling(),
                spec.preempt(),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                new JobSpec.CommandSpec(
                        command.ranks(),
                        command.env(),
                        command.secrets(),
                        command.workdir(),
                        command.run(),
                        new EngineSpec(image, EngineSpec.SlurmSpec.NONE, EngineSpec.KubernetesSpec.NONE),
                        command.progress())));
    }

    /** The job runs on GPUs of this type alone. */
    TestSpec gpuType(String type) {
        return withResources(new JobSpec.ResourceSpec(spec.minGpus(), spec.maxGpus(), List.of(type), 0, 0, 0, false));
    }

    private TestSpec withResources(JobSpec.ResourceSpec resources) {
        return new TestSpec(new JobSpec(
                spec.labels(),
                resources,
                spec.scheduling(),
                spec.preempt(),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                spec.command()));
    }

    /** The job splits its batch by the speed of its GPUs. */
    TestSpec splitBatch() {
        return withResources(new JobSpec.ResourceSpec(spec.minGpus(), spec.maxGpus(), List.of(), 0, 0, 0, true));
    }

    public TestSpec named(String name) {
        return with(name, spec.queue(), spec.timeMillis(), spec.hold(), onPreempt(), spec.dependencies(), spec.array());
    }

    public TestSpec queue(String queue) {
        return with(spec.name(), queue, spec.timeMillis(), spec.hold(), onPreempt(), spec.dependencies(), spec.array());
    }

    public TestSpec time(long millis) {
        return with(spec.name(), spec.queue(), millis, spec.hold(), onPreempt(), spec.dependencies(), spec.array());
    }

    public TestSpec held() {
        return with(spec.name(), spec.queue(), spec.timeMillis(), true, onPreempt(), spec.dependencies(), spec.array());
    }

    TestSpec onPreempt(String what) {
        return with(spec.name(), spec.queue(), spec.timeMillis(), spec.hold(), what, spec.dependencies(), spec.array());
    }

    public TestSpec after(Dependency... jobs) {
        return with(
                spec.name(), spec.queue(), spec.timeMillis(), spec.hold(), onPreempt(), List.of(jobs), spec.array());
    }

    TestSpec array(int index, int size, int atMax) {
        return with(
                spec.name(),
                spec.queue(),
                spec.timeMillis(),
                spec.hold(),
                onPreempt(),
                spec.dependencies(),
                new JobSpec.ArraySpec(index, size, atMax));
    }

    /** A job with another profile key. */
    public TestSpec command(String command) {
        return withPreemptAndRun(spec.preempt(), command);
    }

    /** The job is never preempted. */
    public TestSpec neverPreempted() {
        return withPreemptAndRun(new JobSpec.PreemptSpec(30_000, 0, 0, "requeue"), spec.run());
    }

    public TestSpec minRuntime(long millis) {
        return withPreemptAndRun(
                new JobSpec.PreemptSpec(30_000, millis, Job.UNLIMITED_PREEMPTIONS, "requeue"), spec.run());
    }

    private TestSpec withPreemptAndRun(JobSpec.PreemptSpec preempt, String command) {
        return new TestSpec(new JobSpec(
                spec.labels(),
                spec.resources(),
                spec.scheduling(),
                preempt,
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                new JobSpec.CommandSpec(1, spec.env(), spec.secrets(), "", command)));
    }

    private String onPreempt() {
        return spec.preempt().onPreempt();
    }

    private TestSpec with(
            String name,
            String queue,
            long time,
            boolean hold,
            String onPreempt,
            List<Dependency> after,
            JobSpec.ArraySpec array) {
        JobSpec.PreemptSpec preempt = new JobSpec.PreemptSpec(
                spec.preempt().graceMillis(), 0, spec.preempt().maxTimes(), onPreempt);
        return new TestSpec(new JobSpec(
                new JobSpec.JobLabels(name, queue, spec.jobClass()),
                spec.resources(),
                new JobSpec.SchedulingSpec(time, 0, spec.priority(), hold, spec.locality()),
                preempt,
                spec.checkpoint(),
                after,
                array,
                spec.command()));
    }
}
