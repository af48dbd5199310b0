package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.model.Allocation;

/** Whose leaving helps a suspended job: it can only be resumed on the nodes where its processes are. */
final class SuspendedHome {
    private SuspendedHome() {}

    /** Whether a victim frees GPUs where the waiting job may start. */
    static boolean isHelpedBy(JobView waiting, JobView victim) {
        Suspension suspension = waiting.suspension();
        Allocation held = victim.allocation();
        if (suspension == null || held == null) {
            return true;
        }
        for (int k = 0; k < held.nodeCount(); k++) {
            if (suspension.gpus().gpusOnNode(held.node(k)) > 0) {
                return true;
            }
        }
        return false;
    }
}
