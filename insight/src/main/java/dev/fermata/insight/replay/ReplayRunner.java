package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.measure.MetricsCollector;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.InfeasibleJobs;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.FaultsInput;
import dev.fermata.insight.input.ModelErrorInput;
import dev.fermata.insight.input.WorkloadInput;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.recording.RunRecorder;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Measures a replay window as it was, from its own records, and runs it again under a policy. The same code measures
 * both.
 */
public final class ReplayRunner {
    private static final long SEED = 1;
    /** The name of the recorded run in lists of policies. */
    public static final String RECORDED = "as it was";

    private final ReplayWindow window;
    private final double lowerBound;
    private final Optional<RunRecording.RecordingDetail> detail;
    private final List<PolicySpec> policies;
    private final BooleanSupplier stop;

    /** @param policies to be compared, the live one first */
    public ReplayRunner(
            ReplayWindow window,
            List<PolicySpec> policies,
            Optional<RunRecording.RecordingDetail> detail,
            BooleanSupplier stop) {
        this.window = window;
        this.policies = policies;
        this.detail = detail;
        this.stop = stop;
        this.lowerBound = bound(window);
    }

    /** Over the completed jobs, which makes it valid whatever else ran. */
    private static double bound(ReplayWindow window) {
        Workload completed = new Workload(
                window.workload().name(),
                window.workload().jobs().stream()
                        .filter(job -> window.completed().contains(job.job().id()))
                        .toList());
        return completed.jobs().isEmpty()
                ? 0
                : LowerBound.meanJctSeconds(
                        completed, window.history().cluster().topology());
    }

    /** The policy that decided live, under its own name. */
    public static PolicySpec recordedPolicy(PolicySpec policy) {
        return new PolicySpec(RECORDED, policy.info(), policy.settings());
    }

    /** The recorded run. */
    public MeasuredRun recorded(PolicySpec policy) {
        Topology topology = window.history().cluster().topology();
        MetricsCollector metrics = new MetricsCollector(topology);
        RunRecorder recorder =
                detail.map(d -> new RunRecorder(topology, metrics, d)).orElse(null);
        for (RecordedEntry entry : window.recorded()) {
            metrics.accept(entry.atMillis(), entry.record());
            if (recorder != null) {
                recorder.accept(entry.atMillis(), entry.record());
            }
        }
        RunResult result = new RunResult(
                RECORDED,
                window.history().cluster().name(),
                window.workload().name(),
                ReplayEstimator.LIVE,
                SEED,
                metrics.summary(),
                lowerBound,
                metrics.results(),
                true,
                window.recorded().size(),
                0,
                0,
                0,
                0,
                0,
                recorder == null ? null : recorder.recording());
        return measuredRun(policy, ReplayEstimator.LIVE, result);
    }

    /** Rejects an unknown estimator. */
    public static String checkedEstimator(String text) {
        ReplayEstimator.check(text);
        return text;
    }

    /** The run under a policy; empty when it was stopped. */
    public Optional<MeasuredRun> replay(PolicySpec policy, String estimator, Runnable ended) {
        Experiment experiment = new Experiment(
                window.history().cluster().name(),
                window.history().cluster().topology(),
                window.workload(),
                policy,
                estimator,
                FaultsInput.parse("none").rates(),
                SEED,
                GuardMode.PLAN);
        try {
            RunResult result = experiment.run(
                    lowerBound, new ReplayObserver(ended), detail, ReplayEstimator.parse(estimator, window));
            return result.complete() ? Optional.of(measuredRun(policy, estimator, result)) : Optional.empty();
        } catch (IllegalStateException e) {
            throw UserError.failed(policy.text() + ": " + e.getMessage(), e);
        }
    }

    private MeasuredRun measuredRun(PolicySpec policy, String estimator, RunResult result) {
        ExperimentSpec written = new ExperimentSpec(
                result.cluster(),
                result.workload(),
                "",
                "",
                "",
                estimator,
                "",
                "",
                "none",
                "plan",
                "",
                ModelErrorInput.NONE,
                policies);
        ExperimentSetting setting = new ExperimentSetting(
                Map.of(),
                written,
                window.history().cluster(),
                WorkloadInput.ofRecording(window.workload()),
                estimator,
                FaultsInput.parse("none"),
                GuardMode.PLAN,
                List.of(),
                ModelErrorInput.parse(ModelErrorInput.NONE),
                policies);
        return new MeasuredRun(setting, policy, window.measured().size(), result, InfeasibleJobs.NONE);
    }

    /** Ends a run when all that are measured have ended. */
    private final class ReplayObserver implements Experiment.RunObserver {
        private final Runnable ended;
        private int missing = window.measured().size();

        ReplayObserver(Runnable ended) {
            this.ended = ended;
        }

        @Override
        public void onRecord(long nowMillis, HistoryRecord record) {
            if (record.finalState() != null) {
                ended.run();
                missing -= window.measured().contains(record.jobId()) ? 1 : 0;
            }
        }

        @Override
        public boolean shouldStop() {
            return stop.getAsBoolean();
        }

        @Override
        public boolean isSatisfied() {
            return missing == 0;
        }

        @Override
        public boolean isMeasured(long jobId) {
            return jobId < 0 || window.measured().contains(jobId);
        }
    }
}
