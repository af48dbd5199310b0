package dev.fermata.live.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fermata.core.model.Costs;
import dev.fermata.live.learn.Knowledge.Basis;
import dev.fermata.live.store.KindRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is believed of kinds of jobs. */
class KindBookTest {
    private static final Costs PRIOR = new Costs(5_000, 10_000, 0, 0);
    private static final Kind KIND = new Kind("train.py", "resnet", "H100", 4);

    private final KindBook book = new KindBook(PRIOR);
    private long learnedAt;

    static Measured pause(long millis) {
        return new Measured(-1, -1, -1, -1, -1, millis, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 0);
    }

    static Measured load(long start, long build, long restore, long warmup) {
        long load = start + build + Math.max(0, restore) + warmup;
        return new Measured(start, build, restore, warmup, load, -1, -1, -1, 9_000, -1, -1, -1, -1, -1, 10, -1, 100);
    }

    private void learn(Kind kind, Measured measured) {
        learn(kind, measured, Set.of(), -1);
    }

    private void learn(Kind kind, Measured measured, Set<Figure> unsound, long tooLittleMib) {
        book.learn(measured, new Learned(kind, unsound, tooLittleMib, null), ++learnedAt);
    }

    @Test
    void whatNobodyMeasuredIsAssumed() {
        Knowledge known = book.knowledge(KIND);

        assertThat(known.costs()).isEqualTo(PRIOR);
        assertThat(known.measured()).isFalse();
        assertThat(known.loadsMillis()).isZero();
    }

    @Test
    void theKindItselfCountsBeforeItsLikes() {
        learn(KIND.on("A100", 4), pause(900));
        assertThat(book.knowledge(KIND).pauseBasis()).isEqualTo(Basis.ALIKE);
        assertThat(book.knowledge(KIND).costs().pauseMillis()).isEqualTo(900);

        learn(KIND, pause(300));
        assertThat(book.knowledge(KIND).pauseBasis()).isEqualTo(Basis.KIND);
        assertThat(book.knowledge(KIND).costs().pauseMillis()).isEqualTo(300);
        assertThat(book.knowledge(new Kind("train.py", "bert", "H100", 4)).pauseBasis())
                .isEqualTo(Basis.PRIOR);
    }

    @Test
    void whoForgetsTheOnlyKindOfACommandForgetsWhatIsKnownOfTheCommand() {
        learn(KIND, pause(300));
        assertThat(book.isAlone(KIND)).isTrue();
        assertThat(book.forget(KIND, 9)).containsExactly(KIND, KIND.anywhere());
        assertThat(book.knowledge(KIND).costs()).isEqualTo(PRIOR);

        learn(KIND, pause(300));
        learn(KIND.on("A100", 4), pause(900));
        assertThat(book.isAlone(KIND)).isFalse();
        assertThat(book.forget(KIND, 9)).containsExactly(KIND);
        assertThat(book.knowledge(KIND).pauseBasis()).isEqualTo(Basis.ALIKE);
    }

    @Test
    void aLoadIsToldApartAsFarAsItWas() {
        learn(KIND, load(400, 2_000, -1, 600));
        assertThat(book.knowledge(KIND).costs()).isEqualTo(new Costs(5_000, 2_400, 0, 600));

        learn(KIND, load(400, 2_000, 3_000, 600));
        Knowledge known = book.knowledge(KIND);
        assertThat(known.costs()).isEqualTo(new Costs(5_000, 2_400, 3_000, 600));
        assertThat(known.loadsMillis()).isEqualTo(6_000);
        assertThat(known.pauseBasis()).isEqualTo(Basis.PRIOR);
    }

    @Test
    void oneThatTookForEverChangesLittle() {
        for (int i = 0; i < 9; i++) {
            learn(KIND, pause(1_000 + i));
        }
        learn(KIND, pause(600_000));

        assertThat(book.knowledge(KIND).costs().pauseMillis()).isBetween(1_000L, 1_009L);
        assertThat(book.knowledge(KIND).pause().p90()).isLessThan(1_010);
    }

    @Test
    void aKindThatChangesIsFollowed() {
        for (int i = 0; i < KindNotes.KEPT; i++) {
            learn(KIND, pause(8_000));
        }
        for (int i = 0; i < KindNotes.KEPT / 2 + 1; i++) {
            learn(KIND, pause(500));
        }

        assertThat(book.knowledge(KIND).costs().pauseMillis()).isEqualTo(500);
        assertThat(book.notes(KIND).spread(Figure.PAUSE).count()).isEqualTo(KindNotes.KEPT);
    }

    @Test
    void whatWasWrittenDownIsTheSameBook() {
        Random random = new Random(3);
        List<Kind> kinds = List.of(KIND, KIND.on("A100", 1), KIND.on("H100", 8), new Kind("other.py", "", "H100", 1));
        for (int i = 0; i < 500; i++) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            learn(kind, random.nextBoolean() ? pause(random.nextInt(9_000)) : load(10, random.nextInt(999), -1, 5));
        }
        book.replace(KIND, book.notes(KIND).saying(Map.of(Figure.PAUSE, 77L)), 1_000);
        KindBook another = new KindBook(PRIOR);
        another.recall(book.unwritten(1), List.of());

        for (Kind kind : kinds) {
            assertThat(another.knowledge(kind)).isEqualTo(book.knowledge(kind));
            assertThat(another.knowledge(kind.on("B200", 2))).isEqualTo(book.knowledge(kind.on("B200", 2)));
        }
        assertThat(another.all()).isEqualTo(book.all());
        assertThat(another.knowledge(KIND).costs().pauseMillis()).isEqualTo(77);
    }

    @Test
    void whatIsWrittenIsNotWrittenAgainBeforeItChanges() {
        learn(KIND, pause(300));
        learn(KIND.on("A100", 1), pause(400));
        assertThat(book.unwritten(9)).extracting(KindRow::seq).containsExactly(9L, 9L, 9L);
        book.written();
        assertThat(book.unwritten(10)).isEmpty();
        learn(KIND, pause(500));
        assertThat(book.unwritten(11))
                .extracting(KindRow::gpuType, KindRow::atMillis)
                .containsExactlyInAnyOrder(tuple("H100", 3L), tuple("", 3L));
    }

    @Test
    void unsoundFiguresAndTooLittleMemoryAreOfThisKindOnly() {
        learn(KIND, Measured.NOTHING.withGpu(800, 9_000), Set.of(Figure.BUSY_PERMILLE), 20_000);

        assertThat(book.notes(KIND).latest()).containsOnlyKeys(Figure.PEAK_MEMORY_MIB, Figure.FAILED_MEMORY_MIB);
        assertThat(book.notes(KIND.anywhere()).latest()).containsOnlyKeys(Figure.PEAK_MEMORY_MIB);
    }

    /** Against a plain list that is sorted anew each time. */
    @Test
    void theLatestAreSortedAsTheyCome() {
        Random random = new Random(5);
        for (int kept : List.of(4, 5, 64)) {
            Latest latest = new Latest(kept);
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 5 * kept; i++) {
                long value = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextLong();
                latest.add(value);
                all.add(value);
                List<Long> last = all.subList(Math.max(0, all.size() - kept), all.size());
                assertThat(latest.values()).isEqualTo(last);
                assertThat(latest.spread()).isEqualTo(Spread.of(last));
                assertThat(latest.most()).isEqualTo(Collections.max(last));
                assertThat(latest.count()).isEqualTo(last.size());
            }
        }
    }

    @Test
    void quantilesAreValuesThatWereMeasured() {
        assertThat(Spread.of(List.of(5L, 1L, 3L, 2L, 4L, 10L, 6L, 9L, 8L, 7L))).isEqualTo(new Spread(10, 6, 1, 5, 9));
        assertThat(Spread.of(List.of(4L))).isEqualTo(new Spread(1, 4, 4, 4, 4));
        assertThat(Spread.of(List.of())).isEqualTo(Spread.NONE);
    }

    private static Learned lesson(@Nullable Measured instead) {
        return new Learned(KIND, Set.of(), -1, instead);
    }

    /** Attempts teach when they have shown something, again when more of it came, and at their end: each of them counts once. */
    @Test
    void aLaterLessonOfAnAttemptReplacesItsEarlierOne() {
        Random random = new Random(3);
        KindBook once = new KindBook(PRIOR);
        for (int i = 0; i < 40; i++) {
            int peak = 1_000 + random.nextInt(5_000);
            Measured early = load(random.nextInt(900), 5, -1, 7).withGpu(1 + random.nextInt(999), peak);
            Measured end =
                    load(random.nextInt(900), 6, -1, 8).withGpu(1 + random.nextInt(999), peak + random.nextInt(99));
            learn(KIND, early);
            if (random.nextBoolean()) {
                learn(KIND, pause(100 + i)); // somebody else, in between
                once.learn(pause(100 + i), lesson(null), i);
            }
            book.learn(end, lesson(early), i);
            once.learn(end, lesson(null), i);
        }
        for (Figure figure : Figure.values()) {
            assertThat(book.notes(KIND).spread(figure))
                    .as("%s", figure)
                    .isEqualTo(once.notes(KIND).spread(figure));
        }
        assertThat(book.knowledge(KIND)).isEqualTo(once.knowledge(KIND));
        assertThat(book.knowledge(KIND.anywhere())).isEqualTo(once.knowledge(KIND.anywhere()));
    }

    @Test
    void whatALaterLessonDoesNotSayStaysAndMemoryNeverShrinks() {
        Measured early = load(100, 200, -1, 300).withGpu(400, 9_000);
        learn(KIND, early);
        book.learn(pause(50).withGpu(900, 8_000), new Learned(KIND, Set.of(Figure.BUSY_PERMILLE), -1, early), 1);

        KindNotes notes = book.notes(KIND);
        assertThat(notes.value(Figure.PAUSE)).isEqualTo(50);
        assertThat(notes.value(Figure.START)).isEqualTo(100);
        assertThat(notes.value(Figure.BUSY_PERMILLE)).isEqualTo(400);
        assertThat(notes.peakMemoryMib()).isEqualTo(9_000);
        assertThat(notes.spread(Figure.PEAK_MEMORY_MIB).count()).isEqualTo(1);
    }
}
