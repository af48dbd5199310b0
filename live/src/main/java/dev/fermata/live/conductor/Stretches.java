package dev.fermata.live.conductor;

import dev.fermata.live.engine.News;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the steps of one attempt took, told apart by who worked beside it. Only steps count that lie wholly within a time in
 * which nobody came or went: from the first report after one change to the last but one before the next, since who went was gone a
 * little before anybody heard. Time in which a checkpoint was saved does not count either. Never changed, only replaced.
 *
 * @param beside kinds of those who work beside it now, in order, none for alone; null while it is not sure who does
 * @param sinceMillis since when that is so
 * @param lastStep the step up to which is counted
 * @param lastMillis when it was done; -1 when the next report is to begin
 * @param open what steps took in this stretch, in microseconds, oldest first
 * @param closed the same of earlier stretches, by who was there
 */
record Stretches(
        @Nullable List<String> beside,
        long sinceMillis,
        long lastStep,
        long lastMillis,
        List<Long> open,
        Map<List<String>, List<Long>> closed) {
    static final Stretches NONE = new Stretches(null, 0, 0, -1, List.of(), Map.of());

    /** Fewer say nothing. */
    static final int ENOUGH = 3;

    /** As many of the latest as a median needs to be worth something. */
    private static final int KEPT = 33;

    Stretches {
        open = List.copyOf(open);
        closed = Map.copyOf(closed);
    }

    /** From now on these work beside it. */
    Stretches enter(@Nullable List<String> others, long nowMillis) {
        if (Objects.equals(others, beside)) {
            return this;
        }
        return new Stretches(others, nowMillis, 0, -1, List.of(), all(true));
    }

    Stretches after(News.Report report) {
        if (!report.kind().equals("step") || beside == null || report.atMillis() < sinceMillis) {
            return new Stretches(beside, sinceMillis, 0, -1, open, closed);
        }
        long steps = report.step() - lastStep;
        long spent = report.atMillis() - lastMillis;
        boolean measures = lastMillis >= 0 && steps > 0 && spent > 0;
        return new Stretches(
                beside,
                sinceMillis,
                report.step(),
                report.atMillis(),
                measures ? latest(open, List.of(spent * 1000 / steps)) : open,
                closed);
    }

    private Map<List<String>, List<Long>> all(boolean butTheLast) {
        Map<List<String>, List<Long>> all = new HashMap<>(closed);
        if (beside != null && !open.isEmpty()) {
            List<Long> sure = butTheLast ? open.subList(0, open.size() - 1) : open;
            all.put(beside, latest(closed.getOrDefault(beside, List.of()), sure));
        }
        return all;
    }

    private static List<Long> latest(List<Long> before, List<Long> more) {
        List<Long> values = new ArrayList<>(before);
        values.addAll(more);
        return values.size() > KEPT ? values.subList(values.size() - KEPT, values.size()) : values;
    }

    /** What a step usually took with these beside it; -1 while nobody can say. */
    long micros(List<String> others) {
        List<Long> values = all(false).getOrDefault(others, List.of());
        return values.size() < ENOUGH ? -1 : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    /** What a step usually took beside exactly one, by its kind, now that this attempt is over. */
    Map<String, Long> pairs() {
        Stretches over = enter(null, 0);
        Map<String, Long> pairs = new TreeMap<>();
        over.closed.keySet().stream()
                .filter(others -> others.size() == 1 && over.micros(others) > 0)
                .forEach(others -> pairs.put(others.get(0), over.micros(others)));
        return pairs;
    }
}
