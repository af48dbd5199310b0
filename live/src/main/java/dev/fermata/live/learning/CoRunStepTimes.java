package dev.fermata.live.learning;

import dev.fermata.live.engine.EngineEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Step times of one attempt by the programs that shared its GPUs. A step counts only if the co-located jobs did not
 * change during it: from the first report after a change to the last but one before the next. The last one is dropped
 * because a job leaves shortly before its end is reported. Time spent on saving a checkpoint does not count. Immutable.
 *
 * @param neighbours sorted labels of the programs that share its GPUs now; empty when alone, null when unknown
 * @param sinceMillis since when these neighbours are present
 * @param lastStep the last counted step
 * @param lastMillis when that step ended; -1 when the next report begins a new count
 * @param current step times with the current neighbours in microseconds, oldest first
 * @param earlier step times with earlier sets of neighbours
 */
record CoRunStepTimes(
        @Nullable List<String> neighbours,
        long sinceMillis,
        long lastStep,
        long lastMillis,
        List<Long> current,
        Map<List<String>, List<Long>> earlier) {
    static final CoRunStepTimes NONE = new CoRunStepTimes(null, 0, 0, -1, List.of(), Map.of());

    /** Fewer samples give no median. */
    static final int MIN_SAMPLES = 3;

    /** The latest samples that the median uses. */
    private static final int MAX_SAMPLES = 33;

    CoRunStepTimes {
        current = List.copyOf(current);
        earlier = Map.copyOf(earlier);
    }

    /** These programs share its GPUs from now on. */
    CoRunStepTimes withNeighbours(@Nullable List<String> others, long nowMillis) {
        if (Objects.equals(others, neighbours)) {
            return this;
        }
        return new CoRunStepTimes(others, nowMillis, 0, -1, List.of(), allSamples(true));
    }

    CoRunStepTimes after(EngineEvent.JobReport report) {
        if (!report.type().equals("step") || neighbours == null || report.atMillis() < sinceMillis) {
            return new CoRunStepTimes(neighbours, sinceMillis, 0, -1, current, earlier);
        }
        long steps = report.step() - lastStep;
        long spent = report.atMillis() - lastMillis;
        boolean measures = lastMillis >= 0 && steps > 0 && spent > 0;
        return new CoRunStepTimes(
                neighbours,
                sinceMillis,
                report.step(),
                report.atMillis(),
                measures ? appendBounded(current, List.of(spent * 1000 / steps)) : current,
                earlier);
    }

    private Map<List<String>, List<Long>> allSamples(boolean withoutLast) {
        Map<List<String>, List<Long>> all = new HashMap<>(earlier);
        if (neighbours != null && !current.isEmpty()) {
            List<Long> sure = withoutLast ? current.subList(0, current.size() - 1) : current;
            all.put(neighbours, appendBounded(earlier.getOrDefault(neighbours, List.of()), sure));
        }
        return all;
    }

    private static List<Long> appendBounded(List<Long> before, List<Long> more) {
        List<Long> values = new ArrayList<>(before);
        values.addAll(more);
        return values.size() > MAX_SAMPLES ? values.subList(values.size() - MAX_SAMPLES, values.size()) : values;
    }

    /** The median step time with these neighbours; -1 when unknown. */
    long medianMicros(List<String> others) {
        List<Long> values = allSamples(false).getOrDefault(others, List.of());
        return values.size() < MIN_SAMPLES
                ? -1
                : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    /** Median step times with exactly one neighbour, by its label. The attempt is over. */
    Map<String, Long> coRunMicros() {
        CoRunStepTimes over = withNeighbours(null, 0);
        Map<String, Long> coRuns = new TreeMap<>();
        over.earlier.keySet().stream()
                .filter(others -> others.size() == 1 && over.medianMicros(others) > 0)
                .forEach(others -> coRuns.put(others.get(0), over.medianMicros(others)));
        return coRuns;
    }
}
