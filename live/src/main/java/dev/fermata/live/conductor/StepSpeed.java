package dev.fermata.live.conductor;

import dev.fermata.live.engine.News;
import java.util.ArrayList;
import java.util.List;

/**
 * How fast an attempt is, from its latest reports: the median of what a step took between two of them, so that neither a first step
 * that warms up nor a save nor a hiccup counts. Where the script says what a step usually takes, that counts.
 *
 * @param told what a step takes by the script's own word, in microseconds; 0 while it says nothing
 * @param paces what a step took between the latest reports, in microseconds, oldest first
 */
record StepSpeed(long told, List<Long> paces) {
    static final StepSpeed UNKNOWN = new StepSpeed(0, List.of());

    /** Enough for a median, and few enough to follow a job that changes its speed. */
    private static final int KEPT = 15;

    StepSpeed {
        paces = List.copyOf(paces);
    }

    StepSpeed after(News.Report before, News.Report report) {
        long said = report.iterationMicros() > 0 ? report.iterationMicros() : told;
        long steps = report.step() - before.step();
        long spent = report.atMillis() - before.atMillis();
        if (steps <= 0 || spent <= 0) {
            return new StepSpeed(said, paces);
        }
        List<Long> next = new ArrayList<>(paces.subList(paces.size() < KEPT ? 0 : 1, paces.size()));
        next.add(spent * 1000 / steps);
        return new StepSpeed(said, next);
    }

    /** What a step takes; -1 while nobody can say. */
    long micros() {
        if (told > 0 || paces.isEmpty()) {
            return told > 0 ? told : -1;
        }
        return paces.stream().sorted().toList().get((paces.size() - 1) / 2);
    }
}
