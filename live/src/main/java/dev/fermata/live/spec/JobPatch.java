package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.spec.SpecException.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What to change about a job; null leaves a thing as it is. */
public record JobPatch(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable Long timeMillis,
        @Nullable Long limitMillis,
        @Nullable Integer maxPreemptions) {

    private static final JobPatch NOTHING = new JobPatch(null, null, null, null, null, null);

    /** Reads what stands there by the rules of the job file; {@code none} takes a time away. */
    public static JobPatch read(JsonNode document) {
        List<Problem> problems = new ArrayList<>();
        Fields wish = Fields.of("", document, problems);
        JobPatch patch = new JobPatch(
                wish.has("name") ? wish.text("name", "", text -> JobFile.name("name", text)) : null,
                wish.has("queue") ? wish.text("queue", "", text -> JobFile.queue("queue", text)) : null,
                wish.has("priority") ? wish.whole("priority", 0, -JobFile.MOST_PRIORITY, JobFile.MOST_PRIORITY) : null,
                wish.has("time") ? wish.millisOrNone("time") : null,
                wish.has("limit") ? wish.millisOrNone("limit") : null,
                wish.has("maxPreemptions") ? wish.whole("maxPreemptions", 0, 0, Integer.MAX_VALUE) : null);
        wish.refuseOthers();
        if (problems.isEmpty() && patch.equals(NOTHING)) {
            problems.add(new Problem(
                    "", "nothing is to be changed: name, queue, priority, time, limit or maxPreemptions was expected"));
        }
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return patch;
    }

    /** The spec with these changes. */
    public JobSpec on(JobSpec spec) {
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
