package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.policy.market.TypePrices.Group;
import java.util.List;
import org.junit.jupiter.api.Test;

class TypePricesTest {
    private static final double[] TOUGH = {1.0, 0.9}; // nearly as good on the second type
    private static final double[] PICKY = {1.0, 0.3};

    @Test
    void theTypeGoesToWhoIsComparativelyBestOnIt() {
        TypePrices prices = TypePrices.clear(new int[] {4, 4}, List.of(new Group(TOUGH, 4), new Group(PICKY, 4)));

        assertThat(prices.preference(TOUGH)).containsExactly(1, 0);
        assertThat(prices.preference(PICKY)).containsExactly(0, 1);
        assertThat(prices.price(1)).isEqualTo(1);
        assertThat(prices.price(0)).isBetween(1 / 0.9 - 1e-9, 1 / 0.3 + 1e-9);
    }

    @Test
    void absoluteSpeedDoesNotMatterOnlyTheRatioDoes() {
        double[] fast = {10.0, 9.0}; // faster than the other everywhere, but not by the type
        TypePrices prices = TypePrices.clear(new int[] {2, 2}, List.of(new Group(fast, 2), new Group(PICKY, 2)));

        assertThat(prices.preference(fast)).containsExactly(1, 0);
        assertThat(prices.preference(PICKY)).containsExactly(0, 1);
    }

    @Test
    void withRoomForAllEverybodyTakesHisFastest() {
        TypePrices prices = TypePrices.clear(new int[] {8, 8}, List.of(new Group(TOUGH, 3), new Group(PICKY, 3)));

        assertThat(prices.price(0)).isEqualTo(1);
        assertThat(prices.preference(TOUGH)).containsExactly(0, 1);
        assertThat(TypePrices.none(2).preference(PICKY)).containsExactly(0, 1);
    }

    @Test
    void aQueueLongerThanTheClusterChangesNothingButWhoWaits() {
        TypePrices prices = TypePrices.clear(new int[] {4, 4}, List.of(new Group(TOUGH, 40), new Group(PICKY, 40)));

        assertThat(prices.preference(TOUGH)[0]).isEqualTo(1);
        assertThat(prices.preference(PICKY)[0]).isEqualTo(0);
    }

    @Test
    void aTypeOneMayNotRunOnIsNeverPreferred() {
        double[] only = {0, 0.5};
        TypePrices prices = TypePrices.clear(new int[] {1, 1}, List.of(new Group(only, 1), new Group(TOUGH, 1)));

        assertThat(prices.preference(only)).containsExactly(1);
        assertThat(prices.preference(TOUGH)[0]).isEqualTo(0);
        assertThat(prices.price(0)).isCloseTo(1, within(1e-9));
    }

    @Test
    void nobodyThereNothingCosts() {
        assertThat(TypePrices.clear(new int[] {2, 0}, List.of()).price(1)).isEqualTo(1);
    }
}
