package dev.fermata.insight.experiment;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.EventFileWriter;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.workload.Workload;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Runs one policy on one workload. It reports progress, writes the event file and stops on Ctrl-C. */
public final class RunExecutor {
    private final ExperimentSetting setting;
    private final Optional<EventFileWriter> events;
    private final Optional<RunRecording.RecordingDetail> detail;
    private final BooleanSupplier stop;

    /** @param detail of the recording that a report needs, if any */
    public RunExecutor(
            ExperimentSetting setting,
            Optional<EventFileWriter> events,
            Optional<RunRecording.RecordingDetail> detail,
            Interruption interruption) {
        this(setting, events, detail, interruption::isRequested);
    }

    RunExecutor(
            ExperimentSetting setting,
            Optional<EventFileWriter> events,
            Optional<RunRecording.RecordingDetail> detail,
            BooleanSupplier stop) {
        this.setting = setting;
        this.events = events;
        this.detail = detail;
        this.stop = stop;
    }

    /** A workload without a feasible job is the user's mistake. */
    public MeasuredRun run(
            Workload workload, double lowerBound, PolicySpec policy, long seed, RunProgress.RunTrack track) {
        ProgressForwarder watch = new ProgressForwarder(track);
        RunResult result;
        try {
            result = setting.experiment(workload, policy, seed).run(lowerBound, watch, detail);
        } catch (IllegalStateException e) {
            throw UserError.failed(policy.text() + ", seed " + seed + ": " + e.getMessage(), e);
        }
        int jobs = workload.jobs().size();
        if (watch.infeasible.count() == jobs) {
            throw UserError.invalid("no job of " + workload.name() + " can ever run on "
                    + setting.cluster().name() + ". The first: " + watch.infeasible.first());
        }
        return new MeasuredRun(setting, policy, jobs, result, watch.infeasible);
    }

    /** Forwards the history of the run to progress and event file. */
    private final class ProgressForwarder implements Experiment.RunObserver {
        private final RunProgress.RunTrack track;
        private InfeasibleJobs infeasible = InfeasibleJobs.NONE;

        ProgressForwarder(RunProgress.RunTrack track) {
            this.track = track;
        }

        @Override
        public void onRecord(long nowMillis, HistoryRecord record) {
            if (record instanceof HistoryRecord.JobRejected rejected) {
                infeasible = infeasible.plus(rejected);
            }
            if (record.finalState() != null) {
                track.jobEnded();
            }
            events.ifPresent(writer -> writer.write(nowMillis, record));
        }

        @Override
        public boolean shouldStop() {
            return stop.getAsBoolean();
        }
    }
}
