package dev.fermata.live.learning;

import dev.fermata.live.engine.EngineEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The step speed of an attempt: the step time that its script reports, else the median between its latest reports. The
 * median ignores a slow first step, a checkpoint and other outliers.
 *
 * @param reportedMicros step time reported by the script in microseconds; 0 when it reports none
 * @param measuredMicros step times between the latest reports in microseconds, oldest first
 */
record StepSpeed(long reportedMicros, List<Long> measuredMicros) {
    static final StepSpeed UNKNOWN = new StepSpeed(0, List.of());

    /** Enough for a median, few enough to follow a change of speed. */
    private static final int MAX_SAMPLES = 15;

    StepSpeed {
        measuredMicros = List.copyOf(measuredMicros);
    }

    StepSpeed after(EngineEvent.JobReport before, EngineEvent.JobReport report) {
        long stated = report.iterationMicros() > 0 ? report.iterationMicros() : reportedMicros;
        long steps = report.step() - before.step();
        long spent = report.atMillis() - before.atMillis();
        if (steps <= 0 || spent <= 0) {
            return new StepSpeed(stated, measuredMicros);
        }
        List<Long> next = new ArrayList<>(
                measuredMicros.subList(measuredMicros.size() < MAX_SAMPLES ? 0 : 1, measuredMicros.size()));
        next.add(spent * 1000 / steps);
        return new StepSpeed(stated, next);
    }

    /** The step time; -1 when unknown. */
    long micros() {
        if (reportedMicros > 0 || measuredMicros.isEmpty()) {
            return reportedMicros > 0 ? reportedMicros : -1;
        }
        return measuredMicros.stream().sorted().toList().get((measuredMicros.size() - 1) / 2);
    }
}
