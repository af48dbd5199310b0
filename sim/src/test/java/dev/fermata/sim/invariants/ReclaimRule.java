package dev.fermata.sim.invariants;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.List;

/** Who may take GPUs whatever their holder's budget says: a job of a queue that is guaranteed GPUs, from other queues. */
final class ReclaimRule {
    private ReclaimRule() {}

    static boolean mayTake(List<QueueRule> rules, Job beneficiary, Job victim) {
        return rules.stream()
                .anyMatch(rule ->
                        rule.guaranteeGpus() > 0 && rule.covers(beneficiary.queue()) && !rule.covers(victim.queue()));
    }
}
