package dev.fermata.sim.invariants;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.PolicyTrait;

/**
 * The traits of a policy with its knobs that relax some laws.
 *
 * @param declines may leave GPUs free that a job could use, for closer or faster ones
 * @param weighsCostAndBenefit preempts no job unless the gain exceeds the cost
 * @param reserves may keep GPUs free for the first in line
 * @param prefersTrials batch jobs are in one queue that its head blocks; trial jobs are not
 * @param mixesGpuTypes gives a gang GPUs of several types
 * @param hurries lets a trial preempt a job that leaves quickly, although other GPUs are being vacated
 */
record PolicyAllowances(
        boolean declines,
        boolean weighsCostAndBenefit,
        boolean reserves,
        boolean prefersTrials,
        boolean mixesGpuTypes,
        boolean hurries) {

    static PolicyAllowances of(String policy) {
        PolicySpec spec = PolicySpec.parse(policy);
        return new PolicyAllowances(
                spec.has(PolicyTrait.DECLINES),
                spec.has(PolicyTrait.COST_AWARE),
                spec.has(PolicyTrait.RESERVES),
                spec.has(PolicyTrait.TRIALS_FIRST),
                spec.has(PolicyTrait.SPLITS_WORK),
                spec.has(PolicyTrait.HURRIES));
    }
}
