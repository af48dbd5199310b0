package dev.fermata.live.learn;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Profile;
import dev.fermata.live.json.RecordJson;
import dev.fermata.live.learn.Knowledge.Basis;
import dev.fermata.live.store.KindRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of all kinds of jobs. One thread writes, everybody may read: notes are never changed, only replaced.
 *
 * <p>Every figure is looked up on its own: of this very kind, else of the same command and model wherever it ran, else it is assumed.
 * The median of the latest {@link KindNotes#KEPT} measurements counts: a pause that took a minute because a disk was busy moves it
 * by one place, not by its length.
 */
public final class KindBook {
    private static final Logger LOG = LoggerFactory.getLogger(KindBook.class);
    private static final RecordJson JSON = new RecordJson();

    private final Costs prior;
    private final Map<Kind, KindNotes> kinds = new ConcurrentHashMap<>();
    /** All of one command and model together, under {@link Kind#anywhere}. */
    private final Map<Kind, KindNotes> alike = new ConcurrentHashMap<>();
    /** What was concluded since something was last noted: thousands of live jobs may ask for the same. */
    private final Map<Kind, Knowledge> concluded = new ConcurrentHashMap<>();

    /** @param prior what pausing and loading is taken to cost while nobody knows */
    public KindBook(Costs prior) {
        this.prior = prior;
    }

    /** What was written down of earlier jobs, oldest first. */
    public void recall(List<KindRow> rows) {
        for (KindRow row : rows) {
            try {
                Kind kind = new Kind(row.command(), row.model(), row.gpuType(), row.gpus());
                KindNotes notes = JSON.read(row.body(), KindNotes.class);
                (kind.equals(kind.anywhere()) ? alike : kinds).put(kind, notes);
            } catch (IllegalArgumentException e) {
                LOG.warn("what was learned of ({}) cannot be read: {}", row.command(), e.getMessage());
            }
        }
    }

    /** Takes note of what an attempt showed; answers with the rows that are to be written down. */
    public List<KindRow> learn(Kind kind, Measured measured, long nowMillis) {
        return learn(kind, measured, Set.of(), nowMillis);
    }

    /** @param unsound figures that this attempt says nothing about, whatever it showed */
    public List<KindRow> learn(Kind kind, Measured measured, Set<Figure> unsound, long nowMillis) {
        if (measured.isNothing()) {
            return List.of();
        }
        KindNotes own = notes(kind).with(measured, unsound);
        KindNotes all = alike.getOrDefault(kind.anywhere(), KindNotes.NONE).with(measured, unsound);
        kinds.put(kind, own);
        alike.put(kind.anywhere(), all);
        concluded.clear();
        return List.of(row(kind, own, nowMillis), row(kind.anywhere(), all, nowMillis));
    }

    /**
     * An attempt that taught something before shows more of it, or better: what it taught first is replaced, so that it counts
     * once. What it does not say again stays as it was.
     */
    public List<KindRow> relearn(Kind kind, Measured before, Measured measured, Set<Figure> unsound, long nowMillis) {
        KindNotes own = notes(kind).instead(before, measured, unsound);
        KindNotes all = alike.getOrDefault(kind.anywhere(), KindNotes.NONE).instead(before, measured, unsound);
        kinds.put(kind, own);
        alike.put(kind.anywhere(), all);
        concluded.clear();
        return List.of(row(kind, own, nowMillis), row(kind.anywhere(), all, nowMillis));
    }

    /** A job of this kind had so much GPU memory, and it was too little; answers with the row that is to be written down. */
    public KindRow ranOut(Kind kind, int hadMib, long nowMillis) {
        return replace(kind, notes(kind).with(Figure.FAILED_MEMORY_MIB, hadMib), nowMillis);
    }

    /** A person knows better, or brought what was measured elsewhere; answers with the row that is to be written down. */
    public KindRow replace(Kind kind, KindNotes notes, long nowMillis) {
        kinds.put(kind, notes);
        concluded.clear();
        return row(kind, notes, nowMillis);
    }

    private static KindRow row(Kind kind, KindNotes notes, long nowMillis) {
        return new KindRow(kind.command(), kind.model(), kind.gpuType(), kind.gpus(), nowMillis, JSON.write(notes));
    }

    /** What was noted of a kind itself. */
    public KindNotes notes(Kind kind) {
        return kinds.getOrDefault(kind, KindNotes.NONE);
    }

    /** Every kind of which something was noted, as of now. */
    public Map<Kind, KindNotes> all() {
        Map<Kind, KindNotes> noted = new HashMap<>(kinds);
        noted.values().removeIf(KindNotes.NONE::equals);
        return noted;
    }

    public Knowledge knowledge(Kind kind) {
        return concluded.computeIfAbsent(kind, this::conclude);
    }

    private Knowledge conclude(Kind kind) {
        KindNotes own = notes(kind);
        KindNotes any = alike.getOrDefault(kind.anywhere(), KindNotes.NONE);
        KindNotes pauseFrom = own.knows(Figure.PAUSE) ? own : any;
        KindNotes loadFrom = own.knows(Figure.LOAD) ? own : any;
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
    private static Profile profile(Kind kind, KindNotes notes) {
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
    private static long build(KindNotes notes) {
        boolean apart = notes.knows(Figure.BUILD) || notes.knows(Figure.START);
        return apart
                ? Math.max(0, notes.value(Figure.START)) + Math.max(0, notes.value(Figure.BUILD))
                : notes.value(Figure.LOAD);
    }

    private static Basis basis(KindNotes own, KindNotes any, Figure figure) {
        return own.knows(figure) ? Basis.KIND : any.knows(figure) ? Basis.ALIKE : Basis.PRIOR;
    }
}
