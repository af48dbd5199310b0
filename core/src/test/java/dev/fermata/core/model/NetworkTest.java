package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The closed form t(S) = sum over tiers of 2(n-1)/n S/B + 2(n-1) latency, against numbers worked out by hand. */
class NetworkTest {
    private static final double MIB = 1048576.0;

    @Test
    void oneMemberHasNothingToExchange() {
        assertThat(new Link(1, 1000).ringMillis(1, 500)).isZero();
    }

    @Test
    void aRingSendsItsDataTwiceLessOneShare() {
        Link link = new Link(12.5, 5);

        // 2 * 3/4 * 104857600 bytes / 12.5 GB/s = 12.582912 ms, and 2 * 3 * 5 us = 0.03 ms
        assertThat(link.ringMillis(4, 100)).isCloseTo(12.612912, within(1e-9));
    }

    @Test
    void latencyGrowsWithRingSizeAndNotWithData() {
        Link link = new Link(1e9, 10);

        assertThat(link.ringMillis(2, 1)).isCloseTo(0.02, within(1e-6));
        assertThat(link.ringMillis(9, 1)).isCloseTo(0.16, within(1e-6));
    }

    @Test
    void eachTierReducesItsShareOnly() {
        Shape shape = new Shape(8, 2, 2);
        double inNode = 2 * 7 / 8.0 * 100 * MIB / 150e6 + 14 * 1 / 1000.0;
        double inRack = 2 * 1 / 2.0 * 12.5 * MIB / 12.5e6 + 2 * 5 / 1000.0;
        double between = 2 * 1 / 2.0 * 6.25 * MIB / 6.25e6 + 2 * 20 / 1000.0;

        assertThat(Network.DEFAULT.allReduceMillis(shape, 100)).isCloseTo(inNode + inRack + between, within(1e-9));
    }

    @Test
    void aSingleGpuNeedsNoNetwork() {
        assertThat(Network.DEFAULT.allReduceMillis(new Shape(1, 1, 1), 1000)).isZero();
    }

    @Test
    void fartherIsNeverFaster() {
        double node = Network.DEFAULT.allReduceMillis(Shape.of(8, 1, 1), 200);
        double rack = Network.DEFAULT.allReduceMillis(Shape.of(8, 2, 1), 200);
        double network = Network.DEFAULT.allReduceMillis(Shape.of(8, 2, 2), 200);

        assertThat(node).isLessThan(rack);
        assertThat(rack).isLessThan(network);
    }

    @Test
    void aLinkWithoutBandwidthIsRejected() {
        assertThatThrownBy(() -> new Link(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bandwidth");
        assertThatThrownBy(() -> new Link(1, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("latency");
    }
}
