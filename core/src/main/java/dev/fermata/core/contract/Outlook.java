package dev.fermata.core.contract;

/**
 * What an uncertain estimator expects of a job, beyond one number.
 *
 * @param workPerEndMillis the least expected work per completion over all horizons, the inverse of the Gittins index: what
 *     remains where that is certain, and more the less likely the job is to end soon
 * @param meanMillis what it is expected to need in all, on average
 * @param untilWorkMillis it holds until the job has done this much work in all
 */
public record Outlook(long workPerEndMillis, long meanMillis, long untilWorkMillis) {}
