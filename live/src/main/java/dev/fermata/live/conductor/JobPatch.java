package dev.fermata.live.conductor;

import dev.fermata.live.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/** What to change about a job; null leaves a thing as it is. */
public record JobPatch(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable Long timeMillis,
        @Nullable Long limitMillis,
        @Nullable Integer maxPreemptions) {

    /** The spec with these changes. */
    JobSpec on(JobSpec spec) {
        JobSpec.Preempt preempt = new JobSpec.Preempt(
                spec.preempt().graceMillis(),
                spec.preempt().minRuntimeMillis(),
                or(maxPreemptions, spec.preempt().maxTimes()),
                spec.preempt().onPreempt());
        return new JobSpec(
                or(name, spec.name()),
                or(queue, spec.queue()),
                spec.jobClass(),
                spec.minGpus(),
                spec.maxGpus(),
                spec.accelerators(),
                spec.gpuMemoryMib(),
                spec.cpuMilli(),
                spec.memoryMib(),
                or(timeMillis, spec.timeMillis()),
                or(limitMillis, spec.limitMillis()),
                or(priority, spec.priority()),
                spec.hold(),
                spec.locality(),
                preempt,
                spec.checkpoint(),
                spec.after(),
                spec.array(),
                spec.ranks(),
                spec.env(),
                spec.secrets(),
                spec.workdir(),
                spec.run());
    }

    private static <T> T or(@Nullable T changed, T known) {
        return changed != null ? changed : known;
    }
}
