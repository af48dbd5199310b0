package dev.fermata.sim.invariants;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.List;

/** Who may take GPUs whatever their holder's budget says: a job of a queue that is guaranteed GPUs, from other queues. */
final class ReclaimRule {
    private List<QueueRule> rules = List.of();

    void set(List<QueueRule> now) {
        rules = now;
    }

    boolean hasQueues() {
        return !rules.isEmpty();
    }

    boolean hasGuarantees() {
        return rules.stream().anyMatch(rule -> rule.guaranteeGpus() > 0);
    }

    boolean mayTake(Job beneficiary, Job victim) {
        return rules.stream()
                .anyMatch(rule ->
                        rule.guaranteeGpus() > 0 && rule.covers(beneficiary.queue()) && !rule.covers(victim.queue()));
    }
}
