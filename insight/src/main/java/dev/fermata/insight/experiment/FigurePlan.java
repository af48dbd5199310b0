package dev.fermata.insight.experiment;

import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.sim.recording.RunRecording;
import java.util.List;
import java.util.Optional;

/** Which runs are drawn, and in which detail. */
public interface FigurePlan {
    FigurePlan NONE = (setting, seed) -> Optional.empty();

    /** Attempts in all charts together, so that a page of many policies stays small. */
    int INTERVALS_PER_PAGE = 4000;

    int MAX_INTERVALS = 2500;
    int FEW_POLICIES = 3;
    int MANY_ROWS = 32;
    int FEW_ROWS = 16;

    Optional<RunRecording.RecordingDetail> detail(ExperimentSetting setting, long seed);

    /** Whether a cached run was recorded in the detail needed now; else it must be run again. */
    default boolean isRecorded(MatrixCell cell, MeasuredRun run) {
        Optional<RunRecording.RecordingDetail> wanted = detail(cell.setting(), cell.seed());
        RunRecording recording = run.result().recording();
        return wanted.isEmpty() || (recording != null && (wanted.get().ganttRows() == 0 || recording.gantt() != null));
    }

    /** Every run, and a chart of the GPUs for the first seed of the first setting. */
    static FigurePlan forReport(List<ExperimentSetting> settings, List<Long> seeds) {
        ExperimentSetting first = settings.get(0);
        int policies = first.policies().size();
        RunRecording.RecordingDetail chart = new RunRecording.RecordingDetail(
                policies > FEW_POLICIES ? FEW_ROWS : MANY_ROWS, Math.min(MAX_INTERVALS, INTERVALS_PER_PAGE / policies));
        return (setting, seed) -> Optional.of(
                setting.equals(first) && seed == seeds.get(0) ? chart : RunRecording.RecordingDetail.WITHOUT_GANTT);
    }
}
