package dev.fermata.live.learn;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.live.json.RecordJson;
import dev.fermata.live.store.PairRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How fast kinds of jobs are beside each other on a GPU of some type; the order matters: each has its own speed. The median of
 * the latest {@link #KEPT} counts. How many GPUs they hold does not: who sits on one GPU together slows each other there. One
 * thread writes, everybody may read.
 */
public final class PairBook {
    /** Fewer than of other figures: who is slowed how much follows what a script does now. */
    public static final int KEPT = 15;

    /** More neighbours than this are not remembered of a kind; those it met longest ago are forgotten first. */
    static final int NEIGHBOURS = 32;

    private static final Logger LOG = LoggerFactory.getLogger(PairBook.class);
    private static final RecordJson JSON = new RecordJson();
    /** Finer than anybody measures; else what is believed would change with every measurement. */
    private static final double GRAIN = 0.02;

    private static final int SHARES = 20;

    private record Place(String kind, String gpuType) {}

    /** Speeds in thousandths of that alone, oldest first. */
    private record Notes(List<Long> speedPermille) {
        Notes {
            speedPermille = List.copyOf(speedPermille);
        }

        Notes with(long value) {
            List<Long> next = new ArrayList<>(speedPermille);
            next.add(value);
            return new Notes(next.size() > KEPT ? next.subList(next.size() - KEPT, next.size()) : next);
        }

        double stretch() {
            long speed = Spread.of(speedPermille).p50();
            return Math.max(1, Math.round(1000.0 / speed / GRAIN) * GRAIN);
        }
    }

    /** By kind, those it was seen beside, the latest last. */
    private final Map<Place, Map<String, Notes>> seen = new ConcurrentHashMap<>();

    /** What was written down, oldest first. */
    public void recall(List<PairRow> rows) {
        for (PairRow row : rows) {
            try {
                Notes notes = JSON.read(row.body(), Notes.class);
                if (!notes.speedPermille.isEmpty()) {
                    put(new Place(row.slowed(), row.gpuType()), row.beside(), notes);
                }
            } catch (IllegalArgumentException e) {
                LOG.warn("what ({}) showed beside ({}) cannot be read: {}", row.slowed(), row.beside(), e.getMessage());
            }
        }
    }

    /** Takes note of what an attempt showed; answers with the rows that are to be written down. */
    public List<PairRow> learn(Kind kind, List<Beside> shown, long nowMillis) {
        Place place = new Place(kind.label(), kind.gpuType());
        List<PairRow> rows = new ArrayList<>();
        for (Beside beside : shown) {
            Notes notes = seen.getOrDefault(place, Map.of())
                    .getOrDefault(beside.neighbour(), new Notes(List.of()))
                    .with(beside.speedPermille());
            String forgotten = put(place, beside.neighbour(), notes);
            rows.add(row(place, beside.neighbour(), nowMillis, notes));
            if (forgotten != null) {
                rows.add(row(place, forgotten, nowMillis, new Notes(List.of())));
            }
        }
        return rows;
    }

    private static PairRow row(Place place, String neighbour, long nowMillis, Notes notes) {
        return new PairRow(place.kind, neighbour, place.gpuType, nowMillis, JSON.write(notes));
    }

    /** Answers with the neighbour that is forgotten for this one, or null. */
    private @Nullable String put(Place place, String neighbour, Notes notes) {
        Map<String, Notes> next = new LinkedHashMap<>(seen.getOrDefault(place, Map.of()));
        next.remove(neighbour);
        next.put(neighbour, notes);
        String forgotten = next.size() > NEIGHBOURS ? next.keySet().iterator().next() : null;
        if (forgotten != null) {
            next.remove(forgotten);
        }
        seen.put(place, next);
        return forgotten;
    }

    /** Forgets how this kind is beside others; answers with the rows that are to be written down. */
    public List<PairRow> forget(Kind kind, long nowMillis) {
        Place place = new Place(kind.label(), kind.gpuType());
        Map<String, Notes> known = seen.remove(place);
        return known == null
                ? List.of()
                : known.keySet().stream()
                        .map(other -> row(place, other, nowMillis, new Notes(List.of())))
                        .toList();
    }

    /** How fast this kind was beside each other that it met, in thousandths of its speed alone. */
    public Map<String, Spread> speeds(Kind kind) {
        Map<String, Spread> speeds = new TreeMap<>();
        seen.getOrDefault(new Place(kind.label(), kind.gpuType()), Map.of())
                .forEach((neighbour, notes) -> speeds.put(neighbour, Spread.of(notes.speedPermille)));
        return speeds;
    }

    /** How much longer a step of this kind takes beside others, by the names of their kinds. */
    public Map<String, Double> stretches(Kind kind) {
        Map<String, Double> stretches = new TreeMap<>();
        seen.getOrDefault(new Place(kind.label(), kind.gpuType()), Map.of())
                .forEach((neighbour, notes) -> stretches.put(neighbour, notes.stretch()));
        return stretches;
    }

    /** How a kind trains, corrected by what it was seen to do beside others, in steps of a twentieth where shares are concerned. */
    public Profile over(Kind kind, Profile known, boolean busyIsSaid) {
        Map<String, Double> stretches = seen.isEmpty() ? Map.of() : stretches(kind);
        if (stretches.isEmpty()) {
            return known;
        }
        return known.seenBeside(busyIsSaid ? known.busyShare() : busyShare(kind, stretches, known), stretches);
    }

    /**
     * The median of the busy shares with which the formula would have had each measured pair slow each other as it did: for
     * neighbours whom it has not met yet. What a GPU says of itself is too low for jobs that are bound by launching kernels.
     */
    private double busyShare(Kind kind, Map<String, Double> stretches, Profile known) {
        List<Long> permille = new ArrayList<>();
        stretches.forEach((neighbour, stretch) -> {
            Notes other = seen.getOrDefault(new Place(neighbour, kind.gpuType()), Map.of())
                    .get(kind.label());
            SpeedModel.BusyShares shares = other == null ? null : SpeedModel.busySharesFor(stretch, other.stretch());
            if (shares != null) {
                permille.add(Math.round(1000 * shares.one()));
            }
        });
        if (permille.isEmpty()) {
            return known.busyShare();
        }
        double share = Spread.of(permille).p50() / 1000.0;
        return Math.max(1, Math.round(share * SHARES)) / (double) SHARES;
    }
}
