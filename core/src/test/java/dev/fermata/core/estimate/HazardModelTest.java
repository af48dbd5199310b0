package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HazardModelTest {
    private static final double WEIGHT = 40;

    /**
     * One job of the group reached this step and ran on. What is known of all jobs counts for as many as are expected to be left of
     * the forty it began with, at least one: the older, the less it counts against the one that was seen.
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 20, 60, 100})
    void whatIsExpectedOfAllJobsCountsForAsManyAsWouldBeLeft(int step) {
        SurvivalCounts group = new SurvivalCounts();
        group.recordPassed(0, AgeSteps.STEPS);
        HazardModel hazardModel = new HazardModel(List.of(new HazardModel.WeightedGroup(group, WEIGHT)));

        double begin = AgeSteps.beginMillis(step);
        double end = AgeSteps.endMillis(step);
        double left = 3_600_000 / (3_600_000 + begin);
        double prior = 1 - (3_600_000 + begin) / (3_600_000 + end);
        double weight = Math.max(1, WEIGHT * left);
        double expected = weight * prior / (1 + weight);

        double probability = expected / 3;
        double found = hazardModel.quantileMillis(step, probability);
        assertThat(probability * (end - begin) / (found - begin))
                .as("chance of an end in step %d", step)
                .isCloseTo(expected, within(1e-9));
    }
}
