package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.PreemptWays;
import org.jspecify.annotations.Nullable;

/** A policy whose victims are suspended in place where that costs less. It changes nothing else of a plan. */
public final class SuspendingPolicy implements Policy {
    private final Policy policy;

    private final PreemptWays.ExpectedRun expected;

    private SuspendingPolicy(Policy policy, PreemptWays.ExpectedRun expected) {
        this.policy = policy;
        this.expected = expected;
    }

    /** @param suspends whether victims may be suspended at all */
    public static Policy of(Policy policy, boolean suspends) {
        return of(policy, suspends, (view, job) -> 0);
    }

    /** @param expected how long a job will run that takes the place of victims */
    public static Policy of(Policy policy, boolean suspends, PreemptWays.ExpectedRun expected) {
        return suspends ? new SuspendingPolicy(policy, expected) : policy;
    }

    @Override
    public Plan decide(View view) {
        return PreemptWays.CHEAPEST.assign(view, policy.decide(view), expected);
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        return policy.explain(view, job);
    }

    @Override
    public void prepare(View view) {
        policy.prepare(view);
    }

    @Override
    public @Nullable OrderChoice orderChoice() {
        return policy.orderChoice();
    }

    @Override
    public PolicyMemory memory() {
        return policy.memory();
    }

    @Override
    public void restoreMemory(PolicyMemory memory) {
        policy.restoreMemory(memory);
    }
}
