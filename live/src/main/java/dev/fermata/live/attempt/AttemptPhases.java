package dev.fermata.live.attempt;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.ArrayList;
import java.util.List;

/**
 * The phases of an attempt as its script reports them. Times and steps are -1 until they are reported. Its JSON in the attempt's
 * folder is flat.
 *
 * @param total steps in all, 0 for unknown
 */
record AttemptPhases(
        @JsonUnwrapped LoadPhase load,
        @JsonUnwrapped StepPhase steps,
        @JsonUnwrapped SavePhase saves,
        long total) {
    static final AttemptPhases NONE = new AttemptPhases(
            new LoadPhase(-1, -1, -1),
            new StepPhase(-1, -1, -1, -1, List.of(), -1),
            new SavePhase(-1, -1, List.of(), -1),
            0);

    /** Enough samples for a stable median. */
    private static final int MAX_SAMPLES = 33;

    /**
     * From the start of the interpreter to the first step.
     *
     * @param upMillis when the interpreter was up
     * @param loadedMillis when the script was ready to train
     * @param restoreMillis how long it restored a checkpoint before that; -1 for none
     */
    record LoadPhase(long upMillis, long loadedMillis, long restoreMillis) {}

    /**
     * The training steps.
     *
     * @param firstStepMillis when the first step of this attempt was done
     * @param firstStep the number of that step
     * @param reportedStepMicros the usual time of a step, as reported
     * @param stepTimesMicros the time per step between the latest reports
     * @param step the number of the latest step
     */
    record StepPhase(
            long firstStepMillis,
            long firstStep,
            long lastStepMillis,
            long reportedStepMicros,
            List<Long> stepTimesMicros,
            long step) {
        StepPhase {
            stepTimesMicros = List.copyOf(stepTimesMicros);
        }

        private StepPhase afterStep(EngineEvent.JobReport report) {
            long steps = report.step() - step;
            long spent = report.atMillis() - lastStepMillis;
            boolean measures = lastStepMillis >= 0 && steps > 0 && spent > 0;
            return new StepPhase(
                    firstStepMillis >= 0 ? firstStepMillis : report.atMillis(),
                    firstStepMillis >= 0 ? firstStep : report.step(),
                    report.atMillis(),
                    report.iterationMicros() > 0 ? report.iterationMicros() : reportedStepMicros,
                    measures ? append(stepTimesMicros, spent * 1000 / steps) : stepTimesMicros,
                    report.step());
        }

        private StepPhase reached(long reportedStep, long stepMicros) {
            return new StepPhase(
                    firstStepMillis,
                    firstStep,
                    lastStepMillis,
                    stepMicros,
                    stepTimesMicros,
                    Math.max(step, reportedStep));
        }
    }

    /**
     * The checkpoints.
     *
     * @param savedMillis when the latest save was done
     * @param saveIntervalsMillis the intervals between the latest saves
     * @param savedStep the latest saved step
     */
    record SavePhase(long savedMillis, long savedBytes, List<Long> saveIntervalsMillis, long savedStep) {
        SavePhase {
            saveIntervalsMillis = List.copyOf(saveIntervalsMillis);
        }

        private SavePhase restored(long step) {
            return new SavePhase(savedMillis, savedBytes, saveIntervalsMillis, Math.max(savedStep, step));
        }
    }

    long upMillis() {
        return load.upMillis;
    }

    /** @param requested whether the attempt got the signal to exit before: a later save says nothing about its save interval */
    AttemptPhases apply(EngineEvent.JobReport report, boolean requested) {
        return switch (report.type()) {
            case "hello" -> afterHello(report).afterProgress(report);
            case "loaded" -> afterLoaded(report).afterProgress(report);
            case "step" -> new AttemptPhases(load, steps.afterStep(report), saves, report.total());
            case "saved" -> afterSave(report, requested);
            default -> afterProgress(report);
        };
    }

    private AttemptPhases afterHello(EngineEvent.JobReport report) {
        if (load.upMillis >= 0) {
            return this;
        }
        long at = report.atMillis();
        long up = report.upMillis() > 0 ? Math.min(report.upMillis(), at) : at;
        return new AttemptPhases(new LoadPhase(up, load.loadedMillis, load.restoreMillis), steps, saves, total);
    }

    private AttemptPhases afterLoaded(EngineEvent.JobReport report) {
        boolean first = load.loadedMillis < 0;
        boolean restored = first && report.step() > 0 && report.durationMillis() >= 0;
        return new AttemptPhases(
                new LoadPhase(
                        load.upMillis,
                        first ? report.atMillis() : load.loadedMillis,
                        restored ? report.durationMillis() : load.restoreMillis),
                steps,
                saves.restored(report.step()),
                total);
    }

    private AttemptPhases afterSave(EngineEvent.JobReport report, boolean requested) {
        long since = saves.savedMillis >= 0 ? saves.savedMillis : load.loadedMillis;
        boolean atItsEnd = report.total() > 0 && report.step() >= report.total();
        boolean periodic = !requested && !atItsEnd && since >= 0 && report.atMillis() > since;
        return new AttemptPhases(
                load,
                steps.reached(report.step(), steps.reportedStepMicros),
                new SavePhase(
                        Math.max(saves.savedMillis, report.atMillis()),
                        report.bytes() > 0 ? report.bytes() : saves.savedBytes,
                        periodic
                                ? append(saves.saveIntervalsMillis, report.atMillis() - since)
                                : saves.saveIntervalsMillis,
                        Math.max(saves.savedStep, report.step())),
                report.total());
    }

    private AttemptPhases afterProgress(EngineEvent.JobReport report) {
        long stepMicros = report.iterationMicros() > 0 ? report.iterationMicros() : steps.reportedStepMicros;
        return new AttemptPhases(
                load, steps.reached(report.step(), stepMicros), saves, Math.max(total, report.total()));
    }

    private static List<Long> append(List<Long> values, long value) {
        List<Long> next = new ArrayList<>(values);
        next.add(value);
        return next.size() > MAX_SAMPLES ? next.subList(next.size() - MAX_SAMPLES, next.size()) : next;
    }

    /** The usual time of a step; -1 for unknown. */
    long iterationMicros() {
        return steps.reportedStepMicros > 0 ? steps.reportedStepMicros : median(steps.stepTimesMicros);
    }

    boolean hasSteps() {
        return steps.firstStepMillis >= 0 || steps.step > 0;
    }

    /** The steps of this attempt after its first, which warms up. */
    long stepsDone() {
        return steps.firstStepMillis < 0 ? 0 : Math.max(0, steps.step - steps.firstStep);
    }

    /** By how much the first step took longer than usual; -1 for unknown. */
    long warmupMillis() {
        long usual = iterationMicros();
        return load.loadedMillis < 0 || steps.firstStepMillis < load.loadedMillis || usual < 0
                ? -1
                : Math.max(0, steps.firstStepMillis - load.loadedMillis - usual / 1000);
    }

    /** When it was loaded and warmed up; -1 until then. */
    long readyMillis() {
        return load.loadedMillis < 0 ? steps.firstStepMillis : load.loadedMillis + Math.max(0, warmupMillis());
    }

    private static long median(List<Long> values) {
        return values.isEmpty() ? -1 : values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    /**
     * The measurements of the attempt.
     *
     * @param preemptMillis from the signal until its last process was gone; -1 when it was not preempted
     * @param savesOnRequest whether it saved and exited on the signal
     */
    AttemptMeasurements toMeasurements(
            long orderedMillis, long loadMillis, long requestedMillis, long preemptMillis, boolean savesOnRequest) {
        boolean reported = load.upMillis >= 0 && load.loadedMillis >= load.upMillis && load.upMillis >= orderedMillis;
        boolean savedWhenRequested = preemptMillis >= 0 && saves.savedMillis >= requestedMillis;
        return AttemptMeasurements.NONE
                .withLoad(new AttemptMeasurements.LoadTimes(
                        reported ? load.upMillis - orderedMillis : -1,
                        reported
                                ? Math.max(0, load.loadedMillis - Math.max(0, load.restoreMillis) - load.upMillis)
                                : -1,
                        load.restoreMillis,
                        warmupMillis(),
                        readyMillis() >= 0 ? loadMillis : -1))
                .withPreemption(new AttemptMeasurements.PreemptionTimes(
                        preemptMillis,
                        savedWhenRequested ? saves.savedMillis - requestedMillis : -1,
                        preemptMillis < 0 ? -1 : savesOnRequest ? 1 : 0))
                .withUse(new AttemptMeasurements.ResourceUse(iterationMicros(), -1, -1))
                .withCheckpoints(new AttemptMeasurements.Checkpoints(
                        saves.savedBytes, median(saves.saveIntervalsMillis), saves.savedMillis, 0))
                .withSteps(new AttemptMeasurements.Steps(steps.step, saves.savedStep, total));
    }
}
