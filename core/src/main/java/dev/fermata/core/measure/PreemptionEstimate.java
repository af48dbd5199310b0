package dev.fermata.core.measure;

/**
 * What a policy expected of a preemption, in job-milliseconds of completion time. Both are 0 where the policy does not
 * weigh them.
 */
public record PreemptionEstimate(long gainMillis, long costMillis) {}
