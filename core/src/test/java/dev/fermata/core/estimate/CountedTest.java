package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedTest {
    /** Else whoever ranks it would look at it every millisecond while it saves. */
    @Test
    void oneThatHasCountedToItsEndIsNotLookedAtAllTheTime() {
        assertThat(new Counted(60_000, 1).untilWorkMillis()).isGreaterThanOrEqualTo(60_500);
        assertThat(new Counted(60_000, 160_000).untilWorkMillis()).isEqualTo(220_000);
    }

    @Test
    void whatIsDoneIsTakenOff() {
        Counted later = new Counted(10_000, 50_000).after(30_000);
        assertThat(later.workPerEndMillis()).isEqualTo(30_000);
        assertThat(later.meanMillis()).isEqualTo(60_000);
        assertThat(later.after(70_000).workPerEndMillis()).isEqualTo(1);
    }
}
