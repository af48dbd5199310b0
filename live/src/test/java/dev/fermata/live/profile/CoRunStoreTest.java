package dev.fermata.live.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.live.store.CoRunRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoRunStoreTest {
    private static final ProfileKey BERT = new ProfileKey("bert.py", "", "H200", 1);
    private static final ProfileKey VGG = new ProfileKey("vgg.py", "", "H200", 1);

    private final CoRunStore store = new CoRunStore();

    private static CoRunSample coRun(ProfileKey other, long permille) {
        return new CoRunSample(other.label(), 1_000_000 / permille, 1000);
    }

    private static Profile profileOf(ProfileKey key) {
        return new Profile(key.label(), 100, 0.05, 0, 1, 0, Map.of());
    }

    @Test
    void slowdownIsDirectionalAndPerGpuType() {
        store.learn(BERT, List.of(coRun(VGG, 800)), 1);
        assertThat(store.slowdowns(BERT)).isEqualTo(Map.of("vgg.py", 1.26));
        assertThat(store.slowdowns(VGG)).isEmpty();
        assertThat(store.slowdowns(BERT.onGpus("V100", 1))).isEmpty();
        assertThat(store.slowdowns(BERT.onGpus("H200", 4)))
                .as("the number of GPUs does not count")
                .hasSize(1);
    }

    @Test
    void medianOfTheLatestSamplesCounts() {
        store.learn(BERT, List.of(coRun(VGG, 10)), 1);
        for (int i = 0; i < CoRunStore.MAX_SAMPLES; i++) {
            store.learn(BERT, List.of(coRun(VGG, 500)), 1);
        }
        assertThat(store.slowdowns(BERT)).isEqualTo(Map.of("vgg.py", 2.0));
        for (int i = 0; i <= CoRunStore.MAX_SAMPLES / 2; i++) {
            store.learn(BERT, List.of(coRun(VGG, 1000)), 1);
        }
        assertThat(store.slowdowns(BERT)).isEqualTo(Map.of("vgg.py", 1.0));
    }

    @Test
    void coLocationNeverSpeedsUp() {
        store.learn(BERT, List.of(new CoRunSample("vgg.py", 900, 1000)), 1);
        assertThat(store.slowdowns(BERT)).isEqualTo(Map.of("vgg.py", 1.0));
    }

    @Test
    void rowsRestoreTheSameStore() {
        List<CoRunRow> rows = new ArrayList<>(store.learn(BERT, List.of(coRun(VGG, 700)), 1));
        rows.addAll(store.learn(VGG, List.of(coRun(BERT, 600)), 2));
        rows.add(new CoRunRow("x", "y", "H200", 3, "broken"));
        CoRunStore again = new CoRunStore();
        again.restore(rows);

        for (ProfileKey key : List.of(BERT, VGG)) {
            assertThat(again.applyTo(key, profileOf(key), false)).isEqualTo(store.applyTo(key, profileOf(key), false));
        }
        assertThat(again.slowdowns(new ProfileKey("x", "", "H200", 1))).isEmpty();
    }

    /** The GPU reports 5 %; co-located, both jobs had less than half of their speed, like two jobs that never idle. */
    @Test
    void busySharesExplainTheMeasuredSlowdowns() {
        store.learn(BERT, List.of(coRun(VGG, 470)), 1);
        assertThat(store.applyTo(BERT, profileOf(BERT), false).busyShare())
                .as("the slowdown of one job alone is not enough")
                .isEqualTo(0.05);
        store.learn(VGG, List.of(coRun(BERT, 470)), 1);
        double share = store.applyTo(BERT, profileOf(BERT), false).busyShare();

        assertThat(1 / SpeedModel.coRunSlowdown(share, share)).isCloseTo(0.47, within(0.02));
        assertThat(store.applyTo(BERT, profileOf(BERT), true).busyShare())
                .as("unless a person set it")
                .isEqualTo(0.05);
    }

    @Test
    void onlyTheLatestNeighboursAreKept() {
        Map<String, CoRunRow> table = new LinkedHashMap<>();
        for (int i = 0; i < 2 * CoRunStore.MAX_NEIGHBOURS; i++) {
            store.learn(BERT, List.of(new CoRunSample("kind" + i, 2000, 1000)), i)
                    .forEach(row -> table.put(row.neighbour(), row));
        }
        assertThat(store.slowdowns(BERT))
                .hasSize(CoRunStore.MAX_NEIGHBOURS)
                .containsKey("kind" + (2 * CoRunStore.MAX_NEIGHBOURS - 1));
        CoRunStore again = new CoRunStore();
        again.restore(List.copyOf(table.values()).subList(0, CoRunStore.MAX_NEIGHBOURS));
        assertThat(again.slowdowns(BERT))
                .as("the row of a dropped neighbour is emptied")
                .isEmpty();
    }

    @Test
    void forgottenCoRunsStayForgotten() {
        List<CoRunRow> rows = new ArrayList<>(store.learn(BERT, List.of(coRun(VGG, 700)), 1));
        rows.addAll(store.forget(BERT, 2));
        assertThat(store.speeds(BERT)).isEmpty();
        CoRunStore again = new CoRunStore();
        again.restore(rows.subList(1, 2));
        assertThat(again.speeds(BERT)).isEmpty();
    }
}
