package dev.fermata.live.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong nanos = new AtomicLong();
    private final RateLimiter limiter = new RateLimiter(2, 5, nanos::get);

    @Test
    void burstIsAllowedAfterIdleTimeThenTheRateHolds() {
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.tryAcquire("a")).isZero();
        }
        assertThat(limiter.tryAcquire("a")).isEqualTo(1);
        nanos.addAndGet(SECOND);
        assertThat(limiter.tryAcquire("a")).isZero();
        assertThat(limiter.tryAcquire("a")).isZero();
        assertThat(limiter.tryAcquire("a")).isPositive();
    }

    @Test
    void namesAreLimitedIndependently() {
        for (int i = 0; i < 9; i++) {
            limiter.tryAcquire("a");
        }
        assertThat(limiter.tryAcquire("b")).isZero();
        assertThat(limiter.secondsUntilAvailable("a")).isPositive();
        assertThat(limiter.secondsUntilAvailable("b")).isZero();
    }

    @Test
    void slowRateReportsTheWaitingTime() {
        RateLimiter slow = new RateLimiter(0.1, 1, nanos::get);
        assertThat(slow.tryAcquire("a")).isZero();
        assertThat(slow.tryAcquire("a")).isEqualTo(10);
        nanos.addAndGet(6 * SECOND);
        assertThat(slow.tryAcquire("a")).isEqualTo(4);
    }

    @Test
    void rateHoldsOverALongTime() {
        int granted = 0;
        for (int i = 0; i < 10_000; i++) {
            nanos.addAndGet(SECOND / 100);
            granted += limiter.tryAcquire("a") == 0 ? 1 : 0;
        }
        assertThat(granted).isBetween(200, 206);
    }
}
