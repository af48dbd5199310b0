package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTest {
    private record Item(long at, int number) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void equalTimesKeepInsertionOrderAfterRemovals(long seed) {
        Random random = new Random(seed);
        TimerQueue<Item> queue = new TimerQueue<>();
        List<Item> model = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            if (random.nextInt(5) < 3 || model.isEmpty()) {
                Item item = new Item(random.nextInt(40), i);
                queue.add(item.at, item);
                model.add(item);
            } else {
                Item first = model.stream()
                        .min(Comparator.comparingLong(Item::at).thenComparingInt(Item::number))
                        .orElseThrow();
                model.remove(first);
                assertThat(queue.nextTime()).isEqualTo(first.at);
                assertThat(queue.poll()).isEqualTo(first);
            }
            if (i % 500 == 499) {
                int unwanted = random.nextInt(4);
                queue.removeIf(item -> item.number % 4 == unwanted);
                model.removeIf(item -> item.number % 4 == unwanted);
            }
            assertThat(queue.size()).isEqualTo(model.size());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void itemsDueNowComeAfterItemsSetEarlierForThatTime(long seed) {
        Random random = new Random(seed);
        TimerQueue<Item> queue = new TimerQueue<>();
        List<Item> model = new ArrayList<>();
        int number = 0;
        for (long now = 0; now < 300; now++) {
            for (int step = 0; step < 4; step++) {
                while (queue.nextTime() <= now) {
                    Item first = model.stream()
                            .min(Comparator.comparingLong(Item::at).thenComparingInt(Item::number))
                            .orElseThrow();
                    model.remove(first);
                    assertThat(queue.peek()).isEqualTo(first);
                    assertThat(queue.poll()).isEqualTo(first);
                    if (random.nextInt(3) == 0) { // what comes due sets the next
                        set(queue, model, new Item(now + random.nextInt(2), number++));
                    }
                }
                queue.advanceTo(now);
                for (int i = random.nextInt(4); i > 0; i--) {
                    set(queue, model, new Item(now + random.nextInt(3), number++));
                }
                if (random.nextInt(10) == 0) {
                    int unwanted = random.nextInt(4);
                    queue.removeIf(item -> item.number % 4 == unwanted);
                    model.removeIf(item -> item.number % 4 == unwanted);
                }
                assertThat(queue.size()).isEqualTo(model.size());
                assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
            }
        }
        assertThat(number).isGreaterThan(1000);
    }

    private static void set(TimerQueue<Item> queue, List<Item> model, Item item) {
        queue.add(item.at, item);
        model.add(item);
    }

    @Test
    void anEmptyQueueIsNeverDue() {
        TimerQueue<String> queue = new TimerQueue<>();

        assertThat(queue.nextTime()).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(queue::poll).isInstanceOf(IllegalStateException.class);
    }
}
