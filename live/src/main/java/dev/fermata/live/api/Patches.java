package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import dev.fermata.live.spec.JobPatch;
import org.jspecify.annotations.Nullable;

/** What a caller may ask for a job, at submission and later. */
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
        JobPatch patch = JobPatch.read(ApiJson.tree(call.body()));
        expectModest(call, patch.priority());
        return patch;
    }
}
