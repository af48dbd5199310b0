package dev.fermata.live.conductor;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Map;

/** Small jobs for tests; every method changes one thing. */
record Specs(JobSpec spec) {
    static Specs gpus(int gpus) {
        return new Specs(new JobSpec(
                "job",
                "default",
                JobClass.BATCH,
                gpus,
                gpus,
                List.of(),
                0,
                0,
                0,
                0,
                0,
                0,
                false,
                JobSpec.Locality.ANY,
                new JobSpec.Preempt(30_000, 0, Job.UNLIMITED_PREEMPTIONS, "requeue"),
                new JobSpec.Checkpoint("TERM", "checkpoints", 0),
                List.of(),
                JobSpec.Array.NONE,
                1,
                Map.of(),
                List.of(),
                "",
                "true"));
    }

    Specs named(String name) {
        return with(name, spec.queue(), spec.timeMillis(), spec.hold(), onPreempt(), spec.after(), spec.array());
    }

    Specs queue(String queue) {
        return with(spec.name(), queue, spec.timeMillis(), spec.hold(), onPreempt(), spec.after(), spec.array());
    }

    Specs time(long millis) {
        return with(spec.name(), spec.queue(), millis, spec.hold(), onPreempt(), spec.after(), spec.array());
    }

    Specs held() {
        return with(spec.name(), spec.queue(), spec.timeMillis(), true, onPreempt(), spec.after(), spec.array());
    }

    Specs onPreempt(String what) {
        return with(spec.name(), spec.queue(), spec.timeMillis(), spec.hold(), what, spec.after(), spec.array());
    }

    Specs after(After... jobs) {
        return with(
                spec.name(), spec.queue(), spec.timeMillis(), spec.hold(), onPreempt(), List.of(jobs), spec.array());
    }

    Specs array(int index, int size, int atMost) {
        return with(
                spec.name(),
                spec.queue(),
                spec.timeMillis(),
                spec.hold(),
                onPreempt(),
                spec.after(),
                new JobSpec.Array(index, size, atMost));
    }

    /** Another kind of job. */
    Specs running(String command) {
        return changed(spec.preempt(), command);
    }

    /** It may never be paused. */
    Specs never() {
        return changed(new JobSpec.Preempt(30_000, 0, 0, "requeue"), spec.run());
    }

    Specs minRuntime(long millis) {
        return changed(new JobSpec.Preempt(30_000, millis, Job.UNLIMITED_PREEMPTIONS, "requeue"), spec.run());
    }

    private Specs changed(JobSpec.Preempt preempt, String command) {
        return new Specs(new JobSpec(
                spec.name(),
                spec.queue(),
                spec.jobClass(),
                spec.minGpus(),
                spec.maxGpus(),
                spec.accelerators(),
                0,
                0,
                0,
                spec.timeMillis(),
                0,
                spec.priority(),
                spec.hold(),
                spec.locality(),
                preempt,
                spec.checkpoint(),
                spec.after(),
                spec.array(),
                1,
                spec.env(),
                spec.secrets(),
                "",
                command));
    }

    private String onPreempt() {
        return spec.preempt().onPreempt();
    }

    private Specs with(
            String name,
            String queue,
            long time,
            boolean hold,
            String onPreempt,
            List<After> after,
            JobSpec.Array array) {
        JobSpec.Preempt preempt = new JobSpec.Preempt(
                spec.preempt().graceMillis(), 0, spec.preempt().maxTimes(), onPreempt);
        return new Specs(new JobSpec(
                name,
                queue,
                spec.jobClass(),
                spec.minGpus(),
                spec.maxGpus(),
                spec.accelerators(),
                0,
                0,
                0,
                time,
                0,
                spec.priority(),
                hold,
                spec.locality(),
                preempt,
                spec.checkpoint(),
                after,
                array,
                1,
                spec.env(),
                spec.secrets(),
                "",
                spec.run()));
    }
}
