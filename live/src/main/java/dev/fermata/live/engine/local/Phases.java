package dev.fermata.live.engine.local;

import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.util.ArrayList;
import java.util.List;

/**
 * When what happened in the life of an attempt, as its script tells it. Times are -1 while they were not told.
 *
 * @param upMillis its interpreter was up, and it began to build what it trains
 * @param loadedMillis it was ready to work
 * @param restoreMillis how long it loaded a checkpoint before that; -1 when there was none
 * @param firstStepMillis its first step was done
 * @param firstStep the number of that step
 * @param savedMillis it last had saved
 * @param gapsMillis how far apart its latest saves were
 * @param stepMicros what a step usually takes, as it says itself
 * @param pacesMicros what steps took between its latest reports
 */
record Phases(
        long upMillis,
        long loadedMillis,
        long restoreMillis,
        long firstStepMillis,
        long firstStep,
        long lastStepMillis,
        long savedMillis,
        long savedBytes,
        List<Long> gapsMillis,
        long stepMicros,
        List<Long> pacesMicros,
        long step,
        long savedStep,
        long total) {
    static final Phases NONE = new Phases(-1, -1, -1, -1, -1, -1, -1, -1, List.of(), -1, List.of(), -1, -1, 0);

    /** As many of the latest as a median needs to be worth something. */
    private static final int KEPT = 33;

    Phases {
        gapsMillis = List.copyOf(gapsMillis);
        pacesMicros = List.copyOf(pacesMicros);
    }

    /** @param wanted whether it was asked to leave before: then a save, as one at its end, says nothing about how often it saves */
    Phases after(News.Report report, boolean wanted) {
        long at = report.atMillis();
        return switch (report.kind()) {
            case "hello" ->
                copy(upMillis >= 0 ? upMillis : report.upMillis() > 0 ? Math.min(report.upMillis(), at) : at)
                        .progressed(report);
            case "loaded" -> loaded(report).progressed(report);
            case "step" -> stepped(report);
            case "saved" -> saved(report, wanted);
            default -> progressed(report);
        };
    }

    private Phases copy(long up) {
        return new Phases(
                up,
                loadedMillis,
                restoreMillis,
                firstStepMillis,
                firstStep,
                lastStepMillis,
                savedMillis,
                savedBytes,
                gapsMillis,
                stepMicros,
                pacesMicros,
                step,
                savedStep,
                total);
    }

    private Phases loaded(News.Report report) {
        boolean first = loadedMillis < 0;
        return new Phases(
                upMillis,
                first ? report.atMillis() : loadedMillis,
                first && report.step() > 0 && report.tookMillis() >= 0 ? report.tookMillis() : restoreMillis,
                firstStepMillis,
                firstStep,
                lastStepMillis,
                savedMillis,
                savedBytes,
                gapsMillis,
                stepMicros,
                pacesMicros,
                step,
                Math.max(savedStep, report.step()),
                total);
    }

    private Phases stepped(News.Report report) {
        long steps = report.step() - step;
        long spent = report.atMillis() - lastStepMillis;
        boolean measures = lastStepMillis >= 0 && steps > 0 && spent > 0;
        return new Phases(
                upMillis,
                loadedMillis,
                restoreMillis,
                firstStepMillis >= 0 ? firstStepMillis : report.atMillis(),
                firstStepMillis >= 0 ? firstStep : report.step(),
                report.atMillis(),
                savedMillis,
                savedBytes,
                gapsMillis,
                report.iterationMicros() > 0 ? report.iterationMicros() : stepMicros,
                measures ? with(pacesMicros, spent * 1000 / steps) : pacesMicros,
                report.step(),
                savedStep,
                report.total());
    }

    private Phases saved(News.Report report, boolean wanted) {
        long since = savedMillis >= 0 ? savedMillis : loadedMillis;
        boolean atItsEnd = report.total() > 0 && report.step() >= report.total();
        boolean byItself = !wanted && !atItsEnd && since >= 0 && report.atMillis() > since;
        return new Phases(
                upMillis,
                loadedMillis,
                restoreMillis,
                firstStepMillis,
                firstStep,
                lastStepMillis,
                Math.max(savedMillis, report.atMillis()),
                report.bytes() > 0 ? report.bytes() : savedBytes,
                byItself ? with(gapsMillis, report.atMillis() - since) : gapsMillis,
                stepMicros,
                pacesMicros,
                Math.max(step, report.step()),
                Math.max(savedStep, report.step()),
                report.total());
    }

    private Phases progressed(News.Report report) {
        return new Phases(
                upMillis,
                loadedMillis,
                restoreMillis,
                firstStepMillis,
                firstStep,
                lastStepMillis,
                savedMillis,
                savedBytes,
                gapsMillis,
                report.iterationMicros() > 0 ? report.iterationMicros() : stepMicros,
                pacesMicros,
                Math.max(step, report.step()),
                savedStep,
                Math.max(total, report.total()));
    }

    private static List<Long> with(List<Long> values, long value) {
        List<Long> next = new ArrayList<>(values);
        next.add(value);
        return next.size() > KEPT ? next.subList(next.size() - KEPT, next.size()) : next;
    }

    /** What a step usually takes; -1 while nobody can say. */
    long iterationMicros() {
        return stepMicros > 0 ? stepMicros : median(pacesMicros);
    }

    /** How many steps it did in this attempt after its first, which warms up. */
    long stepsDone() {
        return firstStepMillis < 0 ? 0 : Math.max(0, step - firstStep);
    }

    /** The first step took longer than usual by so much; -1 while nobody knows what is usual. */
    long warmupMillis() {
        long usual = iterationMicros();
        return loadedMillis < 0 || firstStepMillis < loadedMillis || usual < 0
                ? -1
                : Math.max(0, firstStepMillis - loadedMillis - usual / 1000);
    }

    /** When it was ready to work, warmed up; -1 while it was not. */
    long readyMillis() {
        return loadedMillis < 0 ? firstStepMillis : loadedMillis + Math.max(0, warmupMillis());
    }

    private static long median(List<Long> values) {
        return values.isEmpty() ? -1 : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    /**
     * All of it as figures.
     *
     * @param pauseMillis from the signal until nothing of it was left; -1 when it was not asked to pause
     * @param saves whether it saved and left when it was asked to
     */
    Measured measured(long orderedMillis, long loadMillis, long askedMillis, long pauseMillis, boolean saves) {
        boolean told = upMillis >= 0 && loadedMillis >= upMillis && upMillis >= orderedMillis;
        boolean savedWhenAsked = pauseMillis >= 0 && savedMillis >= askedMillis;
        return new Measured(
                told ? upMillis - orderedMillis : -1,
                told ? Math.max(0, loadedMillis - Math.max(0, restoreMillis) - upMillis) : -1,
                restoreMillis,
                warmupMillis(),
                readyMillis() >= 0 ? loadMillis : -1,
                pauseMillis,
                savedWhenAsked ? savedMillis - askedMillis : -1,
                pauseMillis < 0 ? -1 : saves ? 1 : 0,
                iterationMicros(),
                -1,
                -1,
                savedBytes,
                median(gapsMillis),
                savedMillis,
                step,
                savedStep,
                total);
    }
}
