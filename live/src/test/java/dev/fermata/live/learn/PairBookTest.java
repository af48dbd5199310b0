package dev.fermata.live.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.live.store.PairRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PairBookTest {
    private static final Kind BERT = new Kind("bert.py", "", "H200", 1);
    private static final Kind VGG = new Kind("vgg.py", "", "H200", 1);

    private final PairBook book = new PairBook();

    private static Beside beside(Kind other, long permille) {
        return new Beside(other.label(), 1_000_000 / permille, 1000);
    }

    private static Profile known(Kind kind) {
        return new Profile(kind.label(), 100, 0.05, 0, 1, 0, Map.of());
    }

    @Test
    void theOrderMattersAndSoDoesTheType() {
        book.learn(BERT, List.of(beside(VGG, 800)), 1);
        assertThat(book.stretches(BERT)).isEqualTo(Map.of("vgg.py", 1.26));
        assertThat(book.stretches(VGG)).isEmpty();
        assertThat(book.stretches(BERT.on("V100", 1))).isEmpty();
        assertThat(book.stretches(BERT.on("H200", 4))).as("size does not").hasSize(1);
    }

    @Test
    void theMedianOfTheLatestCounts() {
        book.learn(BERT, List.of(beside(VGG, 10)), 1);
        for (int i = 0; i < PairBook.KEPT; i++) {
            book.learn(BERT, List.of(beside(VGG, 500)), 1);
        }
        assertThat(book.stretches(BERT)).isEqualTo(Map.of("vgg.py", 2.0));
        for (int i = 0; i <= PairBook.KEPT / 2; i++) {
            book.learn(BERT, List.of(beside(VGG, 1000)), 1);
        }
        assertThat(book.stretches(BERT)).isEqualTo(Map.of("vgg.py", 1.0));
    }

    @Test
    void nobodyGetsFasterByCompany() {
        book.learn(BERT, List.of(new Beside("vgg.py", 900, 1000)), 1);
        assertThat(book.stretches(BERT)).isEqualTo(Map.of("vgg.py", 1.0));
    }

    @Test
    void whatIsWrittenDownIsWhatIsKnownAgain() {
        List<PairRow> rows = new ArrayList<>(book.learn(BERT, List.of(beside(VGG, 700)), 1));
        rows.addAll(book.learn(VGG, List.of(beside(BERT, 600)), 2));
        rows.add(new PairRow("x", "y", "H200", 3, "broken"));
        PairBook again = new PairBook();
        again.recall(rows);

        for (Kind kind : List.of(BERT, VGG)) {
            assertThat(again.over(kind, known(kind), false)).isEqualTo(book.over(kind, known(kind), false));
        }
        assertThat(again.stretches(new Kind("x", "", "H200", 1))).isEmpty();
    }

    /** The GPU says 5 %; beside each other both were at less than half of their speed, as two are that never idle. */
    @Test
    void busySharesAreThoseThatExplainWhatWasSeen() {
        book.learn(BERT, List.of(beside(VGG, 470)), 1);
        assertThat(book.over(BERT, known(BERT), false).busyShare())
                .as("one side alone does not say whose fault it is")
                .isEqualTo(0.05);
        book.learn(VGG, List.of(beside(BERT, 470)), 1);
        double share = book.over(BERT, known(BERT), false).busyShare();

        assertThat(1 / SpeedModel.coRunStretch(share, share)).isCloseTo(0.47, within(0.02));
        assertThat(book.over(BERT, known(BERT), true).busyShare())
                .as("unless a person said it")
                .isEqualTo(0.05);
    }

    @Test
    void aKindThatMeetsEverybodyRemembersTheLatest() {
        Map<String, PairRow> table = new LinkedHashMap<>();
        for (int i = 0; i < 2 * PairBook.NEIGHBOURS; i++) {
            book.learn(BERT, List.of(new Beside("kind" + i, 2000, 1000)), i)
                    .forEach(row -> table.put(row.beside(), row));
        }
        assertThat(book.stretches(BERT))
                .hasSize(PairBook.NEIGHBOURS)
                .containsKey("kind" + (2 * PairBook.NEIGHBOURS - 1));
        PairBook again = new PairBook();
        again.recall(List.copyOf(table.values()).subList(0, PairBook.NEIGHBOURS));
        assertThat(again.stretches(BERT))
                .as("what was forgotten is written down as forgotten")
                .isEmpty();
    }

    @Test
    void whatIsForgottenStaysForgotten() {
        List<PairRow> rows = new ArrayList<>(book.learn(BERT, List.of(beside(VGG, 700)), 1));
        rows.addAll(book.forget(BERT, 2));
        assertThat(book.speeds(BERT)).isEmpty();
        PairBook again = new PairBook();
        again.recall(rows.subList(1, 2));
        assertThat(again.speeds(BERT)).isEmpty();
    }
}
