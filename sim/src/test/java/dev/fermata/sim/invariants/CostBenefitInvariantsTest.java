package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.JobClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gain and cost that a policy states for a preemption are those of the formula. */
class CostBenefitInvariantsTest {
    private static final int DEFAULT_SEEDS = 300;
    private static final int SEEDS = 10 * Integer.getInteger("fermata.seeds", DEFAULT_SEEDS / 10);

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "xion 1 0 1",
                "xion:service=true,crowd=20 1 0 20",
                "xion:place=consolidate,margin=0.5 1 0.5 1",
                "xion:crowd=0 1 0 0"
            })
    void xionStatesTheGainAndCostOfTheFormula(String policy, double trial, double margin, double crowd) {
        check(policy, trial, margin, false, (beneficiary, pending) -> {
            double behind = crowd * (pending - 1);
            return new CostBenefitChecker.Behind(behind, behind, false);
        });
    }

    /** Of future arrivals only bounds are known: none, and a hundred for each pending job. For a trial only pending jobs count. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "fermata 10",
                "fermata:pair=1 10",
                "fermata:trial=1,pair=1 1",
                "fermata:trial=100,pair=3,pays=0 100"
            })
    void fermataStatesTheGainAndCostOfTheFormula(String policy, double trial) {
        check(
                policy,
                trial,
                0.25,
                true,
                (beneficiary, pending) -> new CostBenefitChecker.Behind(
                        pending - 1.0,
                        beneficiary.jobClass() == JobClass.TRIAL ? pending - 1.0 : pending - 1.0 + 100.0 * pending,
                        true));
    }

    private static void check(
            String policy, double trial, double margin, boolean countsIdleGpus, CostBenefitChecker.Crowd crowd) {
        int widened = 0;
        int weighed = 0;
        int several = 0;
        int lossy = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withEstimator("oracle");
            boolean limits =
                    scenario.workload().jobs().stream().anyMatch(j -> j.job().limitMillis() > 0);
            if (scenario.requests().isEmpty() && !limits) {
                CostBenefitChecker invariant = new CostBenefitChecker(scenario, policy, trial, margin, crowd);
                new CheckedSimulation(scenario, policy, invariant, false).run();
                weighed += invariant.weighed();
                several += invariant.several();
                lossy += invariant.lossy();
                widened += invariant.widened();
            }
        }
        if (SEEDS < DEFAULT_SEEDS) {
            return; // a mutation run with few scenarios: some have no such preemption
        }
        assertThat(weighed).as("preemptions worked out").isGreaterThan(20);
        assertThat(several).as("of several victims").isPositive();
        assertThat(lossy).as("of victims that repeat work").isPositive();
        assertThat(widened > 0).as("some use idle GPUs, where that counts").isEqualTo(countsIdleGpus);
    }
}
