package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.spec.SpecException.SpecProblem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes of a job; null leaves a value as it is. */
public record JobPatch(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable Long timeMillis,
        @Nullable Long limitMillis,
        @Nullable Integer maxPreemptions) {

    private static final JobPatch EMPTY = new JobPatch(null, null, null, null, null, null);

    /** Parses a patch by the rules of the job file; {@code none} removes a time. */
    public static JobPatch read(JsonNode document) {
        List<SpecProblem> problems = new ArrayList<>();
        DocumentFields fields = DocumentFields.of("", document, problems);
        JobPatch patch = new JobPatch(
                fields.has("name") ? fields.text("name", "", text -> JobFileParser.name("name", text)) : null,
                fields.has("queue") ? fields.text("queue", "", text -> JobFileParser.queue("queue", text)) : null,
                fields.has("priority")
                        ? fields.whole("priority", 0, -JobFileParser.MAX_PRIORITY, JobFileParser.MAX_PRIORITY)
                        : null,
                fields.has("time") ? fields.millisOrNone("time") : null,
                fields.has("limit") ? fields.millisOrNone("limit") : null,
                fields.has("maxPreemptions") ? fields.whole("maxPreemptions", 0, 0, Integer.MAX_VALUE) : null);
        fields.rejectUnknown();
        if (problems.isEmpty() && patch.equals(EMPTY)) {
            problems.add(new SpecProblem(
                    "", "nothing to change: name, queue, priority, time, limit or maxPreemptions was expected"));
        }
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return patch;
    }

    /** The spec with these changes. */
    public JobSpec applyTo(JobSpec spec) {
        JobSpec.PreemptSpec preempt = new JobSpec.PreemptSpec(
                spec.preempt().graceMillis(),
                spec.preempt().minRuntimeMillis(),
                orElse(maxPreemptions, spec.preempt().maxTimes()),
                spec.preempt().onPreempt(),
                spec.preempt().suspend());
        return new JobSpec(
                new JobSpec.JobLabels(orElse(name, spec.name()), orElse(queue, spec.queue()), spec.jobClass()),
                spec.resources(),
                new JobSpec.SchedulingSpec(
                        orElse(timeMillis, spec.timeMillis()),
                        orElse(limitMillis, spec.limitMillis()),
                        orElse(priority, spec.priority()),
                        spec.hold(),
                        spec.locality()),
                preempt,
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                spec.command());
    }

    private static <T> T orElse(@Nullable T changed, T known) {
        return changed != null ? changed : known;
    }
}
