package dev.fermata.live.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AllowanceTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong nanos = new AtomicLong();
    private final Allowance allowance = new Allowance(2, 5, nanos::get);

    @Test
    void afterARestSomeMayComeAtOnceThenSoManyASecond() {
        for (int i = 0; i < 5; i++) {
            assertThat(allowance.take("a")).isZero();
        }
        assertThat(allowance.take("a")).isEqualTo(1);
        nanos.addAndGet(SECOND);
        assertThat(allowance.take("a")).isZero();
        assertThat(allowance.take("a")).isZero();
        assertThat(allowance.take("a")).isPositive();
    }

    @Test
    void namesDoNotPayForEachOther() {
        for (int i = 0; i < 9; i++) {
            allowance.take("a");
        }
        assertThat(allowance.take("b")).isZero();
        assertThat(allowance.missing("a")).isPositive();
        assertThat(allowance.missing("b")).isZero();
    }

    @Test
    void aSlowRateSaysHowLongToWait() {
        Allowance slow = new Allowance(0.1, 1, nanos::get);
        assertThat(slow.take("a")).isZero();
        assertThat(slow.take("a")).isEqualTo(10);
        nanos.addAndGet(6 * SECOND);
        assertThat(slow.take("a")).isEqualTo(4);
    }

    @Test
    void overALongTimeTheRateHolds() {
        int granted = 0;
        for (int i = 0; i < 10_000; i++) {
            nanos.addAndGet(SECOND / 100);
            granted += allowance.take("a") == 0 ? 1 : 0;
        }
        assertThat(granted).isBetween(200, 206);
    }
}
