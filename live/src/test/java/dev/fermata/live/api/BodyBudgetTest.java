package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyBudgetTest {
    private final BodyBudget budget = new BodyBudget(10, 25);

    @Test
    void oneCallerIsRefusedBeforeOthersAre() {
        assertThat(budget.reserve("ann", 10)).isTrue();
        assertThat(budget.reserve("ann", 1)).isFalse();
        assertThat(budget.reserve("bob", 10)).isTrue();
        assertThat(budget.sum()).isEqualTo(20);
    }

    @Test
    void allTogetherAreBounded() {
        assertThat(budget.reserve("a", 10)).isTrue();
        assertThat(budget.reserve("b", 10)).isTrue();
        assertThat(budget.reserve("c", 6)).isFalse();
        assertThat(budget.sum()).as("a refusal reserves nothing").isEqualTo(20);
        assertThat(budget.reserve("c", 5)).isTrue();
    }

    @Test
    void releasedBytesAreFreeAgain() {
        budget.reserve("ann", 6);
        budget.reserve("ann", 4);
        budget.release("ann", 6);
        assertThat(budget.reserve("ann", 7)).isFalse();
        assertThat(budget.reserve("ann", 6)).isTrue();
        budget.release("ann", 10);
        assertThat(budget.sum()).isZero();
        assertThat(budget.reserve("ann", 10)).isTrue();
    }
}
