package dev.fermata.app.run;

import dev.fermata.app.input.Setting;
import dev.fermata.core.policy.PolicySpec;

/**
 * One run of a matrix, not yet run.
 *
 * @param place where it stands in the answer
 * @param scene the same for all that have setting and seed in common, and so the workload
 */
public record Cell(int place, int scene, Setting setting, PolicySpec policy, long seed) {

    public int expectedJobs() {
        return setting.workload().expectedJobs();
    }
}
