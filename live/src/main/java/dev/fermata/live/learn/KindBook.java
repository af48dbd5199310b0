package dev.fermata.live.learn;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Profile;
import dev.fermata.live.json.RecordJson;
import dev.fermata.live.learn.Knowledge.Basis;
import dev.fermata.live.store.KindRow;
import dev.fermata.live.store.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of all kinds of jobs. Belongs to one thread; others are given copies.
 *
 * <p>Every figure is looked up on its own: of this very kind, else of the same command and model wherever it ran, else it is assumed.
 * The median of the latest {@link KindNotes#KEPT} measurements counts: a pause that took a minute because a disk was busy moves it
 * by one place, not by its length.
 *
 * <p>What an attempt taught is durable in the line of its leaving. A row of all that is known of a kind is only a shorter way to it, written
 * now and then: it says up to which line it knows everything, and the lines after that tell the rest.
 */
public final class KindBook {
    private static final Logger LOG = LoggerFactory.getLogger(KindBook.class);
    private static final RecordJson JSON = new RecordJson();
    private static final String LEFT = Fact.Left.class.getSimpleName();
    /** The line of an attempt that goes on and has shown enough to teach. */
    public static final String SHOWN = "Shown";

    private static final Figure[] FIGURES = Figure.values();
    private static final Noted NOTHING = KindNotes.NONE;

    private final Costs prior;
    /** Those of one command and model together are under {@link Kind#anywhere}. */
    private final Map<Kind, KindMemory> kinds = new HashMap<>();
    /** What was concluded since something was last noted: thousands of live jobs may ask for the same. */
    private Map<Kind, Knowledge> concluded = new HashMap<>();

    /** What the line of an attempt says of what it taught; older lines do not say it. */
    private record Lesson(
            @Nullable Learned learned, @Nullable Measured measured) {}

    /** @param prior what pausing and loading is taken to cost while nobody knows */
    public KindBook(Costs prior) {
        this.prior = prior;
    }

    /**
     * What was written down of earlier jobs.
     *
     * @param rows oldest first
     * @param lines every line that is not known to all rows, oldest first
     */
    public void recall(List<KindRow> rows, List<Line> lines) {
        for (KindRow row : rows) {
            try {
                KindMemory memory = memory(new Kind(row.command(), row.model(), row.gpuType(), row.gpus()));
                memory.replaceBy(JSON.read(row.body(), KindNotes.class));
                memory.atMillis = row.atMillis();
                memory.knownSeq = row.seq();
            } catch (IllegalArgumentException e) {
                LOG.warn("what was learned of ({}) cannot be read: {}", row.command(), e.getMessage());
            }
        }
        for (Line line : lines) {
            if (line.kind().equals(LEFT) || line.kind().equals(SHOWN)) {
                recall(line);
            }
        }
    }

    private void recall(Line line) {
        Lesson lesson = JSON.read(line.body(), Lesson.class);
        Learned learned = lesson.learned;
        if (learned == null) {
            return;
        }
        Measured measured = lesson.measured == null ? Measured.NOTHING : lesson.measured;
        learn(measured, learned, line.seq(), line.atMillis());
    }

    /** Takes note of what an attempt showed. */
    public void learn(Measured measured, Learned learned, long nowMillis) {
        learn(measured, learned, Long.MAX_VALUE, nowMillis);
    }

    /** @param seq the line that says so: whoever knows everything up to there knows it already */
    private void learn(Measured measured, Learned learned, long seq, long nowMillis) {
        KindMemory own = memory(learned.kind());
        KindMemory alike = memory(learned.kind().anywhere());
        boolean tellsOwn = seq > own.knownSeq;
        boolean tellsAlike = seq > alike.knownSeq;
        for (Figure figure : FIGURES) {
            long value = figure.of(measured);
            long before = learned.instead() == null ? Measured.UNKNOWN : figure.of(learned.instead());
            if (value >= 0 && !learned.unsound().contains(figure)) {
                if (tellsOwn) {
                    own.replace(figure, before, value);
                }
                if (tellsAlike) {
                    alike.replace(figure, before, value);
                }
            }
        }
        if (tellsOwn && learned.failedMemoryMib() >= 0) {
            own.add(Figure.FAILED_MEMORY_MIB, learned.failedMemoryMib());
        }
        if (tellsOwn) {
            changed(own, nowMillis);
        }
        if (tellsAlike) {
            changed(alike, nowMillis);
        }
    }

    /** A person knows better, or brought what was measured elsewhere. */
    public void replace(Kind kind, KindNotes notes, long nowMillis) {
        KindMemory memory = memory(kind);
        memory.replaceBy(notes);
        changed(memory, nowMillis);
    }

    /** Nothing of a kind is known any more, nor of its command and model where it was the only kind of them. Answers with what was forgotten. */
    public List<Kind> forget(Kind kind, long nowMillis) {
        List<Kind> forgotten = noted(kind.anywhere()) instanceof KindMemory alike && alike.kinds == 1
                ? List.of(kind, kind.anywhere())
                : List.of(kind);
        forgotten.forEach(each -> replace(each, KindNotes.NONE, nowMillis));
        return forgotten;
    }

    private void changed(KindMemory memory, long nowMillis) {
        memory.atMillis = nowMillis;
        memory.unwritten = true;
        if (!concluded.isEmpty()) {
            concluded = new HashMap<>();
        }
    }

    private KindMemory memory(Kind kind) {
        KindMemory known = kinds.get(kind);
        if (known == null) {
            known = new KindMemory();
            kinds.put(kind, known);
            if (!kind.isAnywhere()) {
                memory(kind.anywhere()).kinds++;
            }
        }
        return known;
    }

    /** Whether what is known of its command and model is just what is known of it: no other kind of them was ever seen. */
    public boolean isAlone(Kind kind) {
        return noted(kind.anywhere()) instanceof KindMemory alike
                && alike.kinds == 1
                && noted(kind).said().isEmpty();
    }

    /** All that is known of a kind, to be written with the line {@code seq} or after it. */
    public KindRow row(Kind kind, long seq) {
        return row(kind, memory(kind), seq);
    }

    private static KindRow row(Kind kind, KindMemory memory, long seq) {
        return new KindRow(
                kind.command(),
                kind.model(),
                kind.gpuType(),
                kind.gpus(),
                memory.atMillis,
                seq,
                JSON.write(memory.copy()));
    }

    /** Rows of all kinds of which the store has none that is up to date; {@code seq} is the last line that taught anything. */
    public List<KindRow> unwritten(long seq) {
        List<KindRow> rows = new ArrayList<>();
        kinds.forEach((kind, memory) -> {
            if (memory.unwritten) {
                rows.add(row(kind, memory, seq));
            }
        });
        return rows;
    }

    /** The store has them now. */
    public void written() {
        kinds.values().forEach(memory -> memory.unwritten = false);
    }

    /** What was noted of a kind itself, as of now: later it may say something else. */
    public Noted noted(Kind kind) {
        KindMemory memory = kinds.get(kind);
        return memory == null ? NOTHING : memory;
    }

    /** A copy of what was noted of a kind itself. */
    public KindNotes notes(Kind kind) {
        KindMemory memory = kinds.get(kind);
        return memory == null ? KindNotes.NONE : memory.copy();
    }

    /** A copy of what was noted of every kind. */
    public Map<Kind, KindNotes> all() {
        Map<Kind, KindNotes> noted = new HashMap<>();
        kinds.forEach((kind, memory) -> {
            KindNotes notes = memory.copy();
            if (!kind.isAnywhere() && !notes.equals(KindNotes.NONE)) {
                noted.put(kind, notes);
            }
        });
        return noted;
    }

    public Knowledge knowledge(Kind kind) {
        return concluded.computeIfAbsent(kind, this::conclude);
    }

    private Knowledge conclude(Kind kind) {
        Noted own = noted(kind);
        Noted any = noted(kind.anywhere());
        Noted pauseFrom = own.knows(Figure.PAUSE) ? own : any;
        Noted loadFrom = own.knows(Figure.LOAD) ? own : any;
        boolean loads = loadFrom.knows(Figure.LOAD);
        long pause = pauseFrom.value(Figure.PAUSE);
        Costs costs = new Costs(
                pause >= 0 ? pause : prior.pauseMillis(),
                loads ? build(loadFrom) : prior.buildMillis(),
                loads ? Math.max(0, loadFrom.value(Figure.RESTORE)) : prior.restoreMillis(),
                loads ? Math.max(0, loadFrom.value(Figure.WARMUP)) : prior.warmupMillis());
        return new Knowledge(
                costs,
                pauseFrom.value(Figure.KEPT_BY_PAUSE) != 0,
                basis(own, any, Figure.PAUSE),
                basis(own, any, Figure.LOAD),
                pauseFrom.spread(Figure.PAUSE),
                loadFrom.spread(Figure.LOAD),
                profile(kind, own),
                (int) Math.max(0, own.peakMemoryMib()),
                Math.max(0, own.value(Figure.CHECKPOINT_EVERY)));
    }

    /** How it trains, as far as it was seen alone on its GPUs; what was never seen is as {@link Profile#UNKNOWN} has it. */
    private static Profile profile(Kind kind, Noted notes) {
        long iteration = notes.value(Figure.ITERATION_MICROS);
        long busy = notes.value(Figure.BUSY_PERMILLE);
        double speed = kind.gpuType().isEmpty()
                ? 1
                : GpuCatalogue.named(kind.gpuType()).speed();
        return new Profile(
                kind.label(),
                iteration > 0 ? rounded(iteration / 1000.0 * speed) : Profile.UNKNOWN.iterationMillis(),
                busy > 0 ? Math.min(20, (busy + 49) / 50) / 20.0 : Profile.UNKNOWN.busyShare(),
                0,
                1,
                (int) (Math.max(0, notes.peakMemoryMib()) + 63) / 64 * 64,
                Map.of());
    }

    /** To two digits: what is not known better than that must not look like news every time it is measured. */
    private static double rounded(double millis) {
        double unit = Math.pow(10, Math.floor(Math.log10(millis)) - 1);
        return Math.max(unit, Math.round(millis / unit) * unit);
    }

    /** What comes before a checkpoint is loaded; all of a load that was not told apart. */
    private static long build(Noted notes) {
        boolean apart = notes.knows(Figure.BUILD) || notes.knows(Figure.START);
        return apart
                ? Math.max(0, notes.value(Figure.START)) + Math.max(0, notes.value(Figure.BUILD))
                : notes.value(Figure.LOAD);
    }

    private static Basis basis(Noted own, Noted any, Figure figure) {
        return own.knows(figure) ? Basis.KIND : any.knows(figure) ? Basis.ALIKE : Basis.PRIOR;
    }
}
