package dev.fermata.core.policy.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Tier;
import org.junit.jupiter.api.Test;

/** Dally's timers against numbers worked out by hand; a lease is 100 ms here. */
class DelayTunerTest {
    private static final long LEASE = 100;

    private final DelayTuner tuner = new DelayTuner(LEASE, 48);

    private void waited(Tier tier, double... leases) {
        for (double one : leases) {
            tuner.recordWait(4, tier, 0, Math.round(one * LEASE));
        }
    }

    @Test
    void withoutHistoryTheTimersAreSixAndTwelve() {
        assertThat(tuner.rackLeases(4)).isEqualTo(6);
        assertThat(tuner.netLeases(4)).isEqualTo(12);
    }

    @Test
    void theRackTimerIsMeanPlusTwoSigmaOfWaitsForOneMachine() {
        waited(Tier.NODE, 8, 10, 12); // mean 10, sigma sqrt(8/3) = 1.633: 13.27

        assertThat(tuner.rackLeases(4)).isEqualTo(14);
        assertThat(tuner.netLeases(4))
                .as("waits for a machine do not count for racks")
                .isEqualTo(12);
    }

    @Test
    void theNetworkTimerIsMeanPlusTwoSigmaOfWaitsForOneRack() {
        waited(Tier.RACK, 20, 30); // mean 25, sigma 5: 35, to the lease

        assertThat(tuner.netLeases(4)).isEqualTo(35);
        assertThat(tuner.rackLeases(4)).isEqualTo(6);
    }

    @Test
    void timersNeverFallBelowSixAndTwelve() {
        waited(Tier.NODE, 2, 2, 2);
        waited(Tier.RACK, 7, 7);

        assertThat(tuner.rackLeases(4)).isEqualTo(6);
        assertThat(tuner.netLeases(4)).isEqualTo(12);
    }

    @Test
    void timersNeverExceedTheHistory() {
        waited(Tier.NODE, 60, 60);
        waited(Tier.RACK, 60, 60);

        assertThat(tuner.rackLeases(4)).as("four fifths of 48, rounded up").isEqualTo(39);
        assertThat(tuner.netLeases(4)).isEqualTo(48);
    }

    @Test
    void aShortHistoryCutsTheMinimumTimersToo() {
        DelayTuner shortHistory = new DelayTuner(LEASE, 4);

        assertThat(shortHistory.rackLeases(4)).isEqualTo(4); // 0.8 * 4 = 3.2
        assertThat(shortHistory.netLeases(4)).isEqualTo(4);
    }

    @Test
    void aWaitOfLessThanALeaseTeachesNothing() {
        waited(Tier.NODE, 0.99, 0.5);
        waited(Tier.NODE, 20); // with the short ones the mean would be 7.2

        assertThat(tuner.rackLeases(4)).isEqualTo(20);
    }

    @Test
    void placesOverRacksTeachNothing() {
        waited(Tier.NETWORK, 40, 40);

        assertThat(tuner.netLeases(4)).isEqualTo(12);
    }

    @Test
    void everySizeHasTimersOfItsOwn() {
        waited(Tier.NODE, 20);

        assertThat(tuner.rackLeases(8)).isEqualTo(6);
    }

    @Test
    void waitsOlderThanTheHistoryAreForgotten() {
        tuner.recordWait(4, Tier.NODE, 0, 20 * LEASE);
        tuner.recordWait(4, Tier.NODE, 10 * LEASE, 10 * LEASE);

        assertThat(tuner.refresh(48 * LEASE - 1)).as("a timer moved").isTrue();
        assertThat(tuner.rackLeases(4)).isEqualTo(25); // mean 15, sigma 5
        assertThat(tuner.refresh(48 * LEASE)).isTrue();
        assertThat(tuner.rackLeases(4)).isEqualTo(10);
        assertThat(tuner.refresh(58 * LEASE)).isTrue();
        assertThat(tuner.rackLeases(4)).isEqualTo(6);
        assertThat(tuner.refresh(99 * LEASE)).as("nothing is left to forget").isFalse();
    }
}
