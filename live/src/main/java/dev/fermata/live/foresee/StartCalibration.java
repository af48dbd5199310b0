package dev.fermata.live.foresee;

import dev.fermata.live.json.RecordJson;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import dev.fermata.live.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * How often expected starts were right, from the lines of the history alone. An expectation is judged when its time has come, started or
 * not: if only those were counted that have started, the early ones would count too much. Whoever was held, or ended before he
 * started, is not counted: nobody can foresee what people want.
 */
public final class StartCalibration {
    private static final RecordJson JSON = new RecordJson();
    private static final String STARTED = "Started";
    /** A job's fate changes by somebody's will. */
    private static final Set<String> WILLED = Set.of("Ended", "Held");

    /** The lines that matter, by kind. */
    private static final Set<String> KINDS = Set.of(Foreseen.KIND, STARTED, "Ended", "Held");

    private record Expected(long jobId, long saidMillis, Foreseen foreseen) {}

    /** In the order of the lines. */
    private final Deque<Expected> expected = new ArrayDeque<>();

    private final Map<Long, NavigableSet<Long>> starts = new HashMap<>();
    private final Map<Long, NavigableSet<Long>> willed = new HashMap<>();

    /**
     * What it came to.
     *
     * @param judged50 expectations whose p50 has passed
     * @param by50 those of them that had started by then; half of them would be right
     * @param judged90 the same of p90
     * @param by90 nine out of ten would be right
     * @param medianErrorMillis half of the starts were nearer to their p50 than this; -1 when none is known
     * @param medianWaitMillis half of those waited less than this from the moment of the expectation
     */
    public record Verdict(
            int predictions,
            int judged50,
            int by50,
            int judged90,
            int by90,
            long medianErrorMillis,
            long medianWaitMillis) {}

    private long seen;

    /** Hears what a history tells from this time on, and that it has not heard yet. */
    public StartCalibration hear(Store.Reader reader, long sinceMillis) {
        Page<Line> page;
        do {
            page = reader.lines(new LineQuery(seen, sinceMillis, -1, "", KINDS, Page.MOST));
            for (Line line : page.rows()) {
                hear(line);
                seen = line.seq();
            }
        } while (page.more());
        return this;
    }

    /** What was heard before this time counts no longer. */
    public StartCalibration forget(long beforeMillis) {
        while (!expected.isEmpty() && expected.getFirst().saidMillis() < beforeMillis) {
            expected.removeFirst();
        }
        for (Map<Long, NavigableSet<Long>> times : List.of(starts, willed)) {
            times.values().forEach(known -> known.headSet(beforeMillis).clear());
            times.values().removeIf(Set::isEmpty);
        }
        return this;
    }

    void hear(Line line) {
        if (line.kind().equals(Foreseen.KIND)) {
            expected.add(new Expected(line.jobId(), line.atMillis(), JSON.read(line.body(), Foreseen.class)));
        } else if (line.kind().equals(STARTED)) {
            starts.computeIfAbsent(line.jobId(), job -> new TreeSet<>()).add(line.atMillis());
        } else if (WILLED.contains(line.kind())) {
            willed.computeIfAbsent(line.jobId(), job -> new TreeSet<>()).add(line.atMillis());
        }
    }

    public Verdict verdict(long nowMillis) {
        int judged50 = 0;
        int by50 = 0;
        int judged90 = 0;
        int by90 = 0;
        List<Long> errors = new ArrayList<>();
        List<Long> waits = new ArrayList<>();
        for (Expected one : expected) {
            Foreseen foreseen = one.foreseen();
            long start = after(starts, one.jobId(), foreseen.asOfMillis());
            if (after(willed, one.jobId(), foreseen.asOfMillis()) < start) {
                continue;
            }
            if (foreseen.p50Millis() >= 0 && foreseen.p50Millis() <= nowMillis) {
                judged50++;
                by50 += start <= foreseen.p50Millis() ? 1 : 0;
            }
            if (foreseen.p90Millis() >= 0 && foreseen.p90Millis() <= nowMillis) {
                judged90++;
                by90 += start <= foreseen.p90Millis() ? 1 : 0;
            }
            if (foreseen.p50Millis() >= 0 && start != Long.MAX_VALUE) {
                errors.add(Math.abs(start - foreseen.p50Millis()));
                waits.add(start - foreseen.asOfMillis());
            }
        }
        return new Verdict(expected.size(), judged50, by50, judged90, by90, median(errors), median(waits));
    }

    /** The first time from then on; {@link Long#MAX_VALUE} for none. */
    private static long after(Map<Long, NavigableSet<Long>> times, long jobId, long fromMillis) {
        NavigableSet<Long> known = times.get(jobId);
        Long found = known == null ? null : known.ceiling(fromMillis);
        return found == null ? Long.MAX_VALUE : found;
    }

    private static long median(List<Long> values) {
        return values.isEmpty()
                ? -1
                : values.stream()
                        .sorted()
                        .skip((values.size() - 1) / 2)
                        .findFirst()
                        .orElse(-1L);
    }
}
