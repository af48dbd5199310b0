package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepCountEstimateTest {
    /** Else it would be ranked again every millisecond while it saves. */
    @Test
    void anEstimateAtItsEndIsNotRefreshedContinuously() {
        assertThat(new StepCountEstimate(60_000, 1).validUntilWorkMillis()).isGreaterThanOrEqualTo(60_500);
        assertThat(new StepCountEstimate(60_000, 160_000).validUntilWorkMillis())
                .isEqualTo(220_000);
    }

    @Test
    void doneWorkIsSubtracted() {
        StepCountEstimate later = new StepCountEstimate(10_000, 50_000).afterWork(30_000);
        assertThat(later.workPerCompletionMillis()).isEqualTo(30_000);
        assertThat(later.meanTotalMillis()).isEqualTo(60_000);
        assertThat(later.afterWork(70_000).workPerCompletionMillis()).isEqualTo(1);
    }
}
