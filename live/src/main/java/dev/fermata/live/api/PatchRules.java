package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import dev.fermata.live.spec.JobPatch;
import org.jspecify.annotations.Nullable;

/** What a caller may request for a job, at submission and later. */
final class PatchRules {
    private PatchRules() {}

    /** Only operators may grant a raised priority. */
    static void requireAllowedPriority(ApiCall call, @Nullable Integer priority) {
        if (priority != null && priority > 0 && !call.hasRole(Role.OPERATOR)) {
            throw ApiProblemException.forbidden(
                    "priority (" + priority + ") must be at most 0; only operators may raise it further");
        }
    }

    static JobPatch read(ApiCall call) {
        JobPatch patch = JobPatch.read(ApiJson.tree(call.body()));
        requireAllowedPriority(call, patch.priority());
        return patch;
    }
}
