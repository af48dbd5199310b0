package dev.fermata.insight.experiment;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.input.ExperimentSetting;

/**
 * One run of a matrix, not yet run.
 *
 * @param index position in the results
 * @param group the same for all runs of one setting and seed, and so of one workload
 */
public record MatrixCell(int index, int group, ExperimentSetting setting, PolicySpec policy, long seed) {

    public int expectedJobs() {
        return setting.workload().expectedJobs();
    }
}
