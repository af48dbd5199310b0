package dev.fermata.live.api;

import dev.fermata.core.text.Quantity;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.view.PatchRequest;
import dev.fermata.live.conductor.JobPatch;
import dev.fermata.live.spec.JobFile;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Changes to a job, checked by the rules of the job file. */
final class Patches {
    private Patches() {}

    /** Ahead of others is for operators to grant. */
    static void expectModest(Call call, @Nullable Integer priority) {
        if (priority != null && priority > 0 && !call.may(Role.OPERATOR)) {
            throw Refused.forbidden(
                    "priority (" + priority + ") must be at most 0; only operators may raise it further");
        }
    }

    static JobPatch read(Call call) {
        PatchRequest wish = call.body(PatchRequest.class);

        try {
            JobPatch patch = new JobPatch(
                    map(wish.name(), text -> JobFile.name("name", text)),
                    map(wish.queue(), text -> JobFile.queue("queue", text)),
                    map(wish.priority(), n -> JobFile.priority("priority", n)),
                    map(wish.time(), text -> Quantity.millis("time", text)),
                    map(wish.limit(), text -> Quantity.millis("limit", text)),
                    map(wish.maxPreemptions(), n ->
                            (int) Quantity.whole("maxPreemptions", n.toString(), 0, Integer.MAX_VALUE)));
            if (patch.equals(new JobPatch(null, null, null, null, null, null))) {
                throw new IllegalArgumentException(
                        "nothing is to be changed: name, queue, priority, time, limit or maxPreemptions was expected");
            }
            expectModest(call, wish.priority());
            return patch;
        } catch (IllegalArgumentException e) {
            throw Refused.badRequest(Call.plain(e.getMessage()));
        }
    }

    private static <A, B> @Nullable B map(@Nullable A value, Function<A, B> reading) {
        return value == null ? null : reading.apply(value);
    }
}
