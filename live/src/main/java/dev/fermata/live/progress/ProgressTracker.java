package dev.fermata.live.progress;

import dev.fermata.live.profile.RunLength;
import dev.fermata.live.progress.OutputProgress.Confidence;
import dev.fermata.live.progress.ProgressLine.Scope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far one attempt is, from its progress lines. It tells the counter of the run from those of epochs and of other loops:
 * by what lines, headings and the command say, and by which counter begins again while another one goes on. What it cannot
 * tell it reports with low confidence.
 */
final class ProgressTracker {
    private static final int MAX_COUNTERS = 32;
    private static final Pattern LOSS =
            Pattern.compile("(?i)(loss)\\w*['\"]?\\s*[:=]?\\s*['\"]?(-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)");

    private final RunLength arguments;
    private final long learnedTotal;
    private final EpochLines epochs;
    private final Map<String, Counter> counters = new LinkedHashMap<>();
    private final UnitTimes epochTimes = new UnitTimes();
    private long statedSteps;
    private long lines;
    /** Whether lines of the Hugging Face trainer were seen: its nameless bar is that of the run. */
    private boolean huggingFace;

    private String metricName = "";
    private double metric = Double.NaN;
    private OutputProgress progress = OutputProgress.NONE;

    /** What a counter says about the run. */
    private record Reading(long current, long total, String unit, Confidence confidence) {
        static Reading steps(long current, long total, Confidence confidence) {
            return new Reading(current, total, "step", total > 0 ? confidence : Confidence.LOW);
        }
    }

    /**
     * @param arguments the length of the run as its command states it
     * @param learnedTotal the steps of the last run with this command, 0 for unknown
     */
    ProgressTracker(RunLength arguments, long learnedTotal) {
        this.arguments = arguments;
        this.learnedTotal = learnedTotal;
        this.epochs = new EpochLines(arguments);
    }

    OutputProgress progress() {
        return progress;
    }

    /** @param text the line as it was printed, for the metric */
    void accept(ProgressLine line, String text, long nowMillis) {
        lines++;
        Matcher loss = LOSS.matcher(text);
        if (loss.find()) {
            metricName = "loss";
            metric = Double.parseDouble(loss.group(2));
        }
        epochs.accept(line.epoch(), line.scope() == Scope.EPOCHS, lines);
        if (line.scope() == Scope.LENGTH) {
            statedSteps = line.total() > 0 ? line.total() : statedSteps;
        } else if (line.scope() == Scope.EPOCHS) {
            huggingFace |= text.contains("'epoch'");
        } else {
            count(line, nowMillis);
        }
        choose(nowMillis);
    }

    private void count(ProgressLine line, long nowMillis) {
        double epoch = line.epoch().number();
        if (line.scope() == Scope.EPOCH && epoch < 0) {
            epoch = epochs.number();
        }
        String key = line.counter() + "/" + line.total();
        Counter counter = counters.get(key);
        if (counter == null) {
            if (counters.size() >= MAX_COUNTERS) {
                counters.remove(counters.keySet().iterator().next());
            }
            counter = new Counter(line, epoch, (int) Math.min(lines, Integer.MAX_VALUE), lines);
            counters.put(key, counter);
        } else {
            counter.update(line, epoch, lines, nowMillis);
        }
        if (line.etaMillis() >= 0 && line.current() == counter.current) {
            Reading known = readingOf(counter);
            long micros = counter.times.micros(nowMillis, known.current);
            if (micros > 0) {
                counter.etaTotals.add(known.current + (double) line.etaMillis() * 1000 / micros);
            }
        }
    }

    /** The most certain reading; of equals that with the finest steps, then the first. */
    private void choose(long nowMillis) {
        Reading best = null;
        Counter of = null;
        for (Counter counter : counters.values()) {
            Reading reading = isOver(counter) ? null : readingOf(counter);
            if (reading != null) {
                counter.times.add(nowMillis, reading.current, reading.total);
                if (isBetter(reading, best)) {
                    best = reading;
                    of = counter;
                }
            }
        }
        Reading byEpochs = readEpochs();
        if (byEpochs != null && isBetter(byEpochs, best)) {
            epochTimes.add(nowMillis, byEpochs.current, byEpochs.total);
            best = byEpochs;
            of = null;
        }
        if (best != null) {
            progress = new OutputProgress(
                    best.current,
                    best.total > 0 ? Math.max(best.total, best.current) : 0,
                    best.unit,
                    best.confidence,
                    (of == null ? epochTimes : of.times).micros(nowMillis, best.current),
                    metricName,
                    metric);
        }
    }

    private static boolean isBetter(Reading reading, @Nullable Reading than) {
        if (than == null || reading.confidence != than.confidence) {
            return than == null || reading.confidence.compareTo(than.confidence) > 0;
        }
        return reading.total > than.total;
    }

    /** A loop that ended once while others go on was not that of the run. */
    private boolean isOver(Counter counter) {
        if (counter.scope != Scope.LOOP || !counter.isComplete() || counter.restarts > 0 || huggingFace) {
            return false;
        }
        return counters.values().stream()
                .anyMatch(other -> other != counter && other.order > counter.order && other.changes > 1);
    }

    private Reading readingOf(Counter counter) {
        return switch (counter.scope) {
            case RUN -> readRun(counter);
            case EPOCH -> counter.epoch < 0 ? readLoop(counter) : readInEpoch(counter);
            default -> readLoop(counter);
        };
    }

    private Reading readRun(Counter counter) {
        if (counter.restarts > 0) {
            return Reading.steps(counter.current, 0, Confidence.LOW);
        }
        if (counter.total > 0) {
            return Reading.steps(counter.current, counter.total, Confidence.HIGH);
        }
        long stated = arguments.steps() > 0 ? arguments.steps() : statedSteps;
        if (stated >= counter.current && stated > 0) {
            return Reading.steps(counter.current, stated, Confidence.HIGH);
        }
        long byEta = Math.round(counter.etaTotals.median());
        long otherwise = byEta > 0 ? byEta : learnedTotal;
        return Reading.steps(counter.current, otherwise < counter.current ? 0 : otherwise, Confidence.MEDIUM);
    }

    /** Its lines, or the headings between them, name the epoch. */
    private Reading readInEpoch(Counter counter) {
        boolean headed = counter.epoch == epochs.number();
        double before = headed ? epochs.finished() : epochs.before(counter.epoch);
        long inThis = headed && before > epochs.before(counter.epoch) ? 0 : counter.current;
        return withEpochs(counter, before, inThis, Confidence.HIGH);
    }

    private Reading withEpochs(Counter counter, double before, long inThis, Confidence confidence) {
        long perEpoch = Math.max(1, counter.total);
        long current = Math.round(before * perEpoch) + inThis;
        double count = epochs.count();
        if (count > 0) {
            return Reading.steps(current, Math.round(count * perEpoch), before <= count ? confidence : Confidence.LOW);
        }
        if (counter.etaTotals.median() > 0) {
            return Reading.steps(
                    current,
                    Math.max(1, Math.round(counter.etaTotals.median() / perEpoch)) * perEpoch,
                    Confidence.MEDIUM);
        }
        return Reading.steps(current, learnedTotal >= current ? learnedTotal : 0, Confidence.MEDIUM);
    }

    private Reading readLoop(Counter counter) {
        long total = counter.total;
        boolean agreed = total > 0 && (arguments.steps() == total || statedSteps == total || learnedTotal == total);
        if (total == 0) {
            return readRun(counter);
        }
        if (agreed && counter.restarts == 0) {
            return Reading.steps(counter.current, total, Confidence.HIGH);
        }
        Counter outer = outerOf(counter);
        if (outer != null) {
            boolean counted = counter.isComplete() && outer.changedBy > counter.changedBy;
            long current = outer.current * total + (counted ? 0 : counter.current);
            return Reading.steps(current, outer.total * total, Confidence.MEDIUM);
        }
        if (epochs.isKnown() && !huggingFace) {
            boolean since = counter.changedBy > epochs.saidBy();
            return withEpochs(counter, epochs.finished(), since ? counter.current : 0, Confidence.MEDIUM);
        }
        if (huggingFace && counter.restarts == 0) {
            return Reading.steps(counter.current, total, Confidence.HIGH);
        }
        if (arguments.epochs() > 0) {
            return withEpochs(counter, counter.restarts, counter.current, Confidence.MEDIUM);
        }
        return Reading.steps(
                counter.restarts * total + counter.current, counter.restarts == 0 ? total : 0, Confidence.LOW);
    }

    /** The bar around a bar: it came first, and does not move more often than the inner one begins again. */
    private @Nullable Counter outerOf(Counter counter) {
        for (Counter other : counters.values()) {
            if (other != counter
                    && other.scope == Scope.LOOP
                    && other.order < counter.order
                    && other.restarts == 0
                    && other.total > 1
                    && !isOver(other)
                    && other.changes <= counter.restarts + 1) {
                return other;
            }
        }
        return null;
    }

    private @Nullable Reading readEpochs() {
        if (!epochs.isKnown()) {
            return null;
        }
        double count = epochs.count();
        double finished = epochs.finished();
        return new Reading(
                (long) Math.floor(finished),
                (long) Math.ceil(count),
                "epoch",
                count > 0 && finished <= count ? Confidence.HIGH : Confidence.LOW);
    }
}
