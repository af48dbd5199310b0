package dev.fermata.insight.replay;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.sim.estimate.Estimators;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The run-time estimates of the daemon, by the daemon's own rule, from what happens in the simulation. */
final class ReplayEstimator implements Estimator {
    static final String LIVE = "live";
    private static final String HISTORY = "history";

    private final RemainingTimeEstimator rule;
    private final SimulatedStepReports steps;

    private ReplayEstimator(RemainingTimeEstimator rule, SimulatedStepReports steps) {
        this.rule = rule;
        this.steps = steps;
    }

    /** {@code live}, {@code history} trained on the records before the replay window, or one of the simulator's own. */
    static Estimators.EstimatorFactory parse(String text, ReplayWindow window) {
        if (text.equals(LIVE)) {
            return (engine, seed) -> {
                SimulatedStepReports steps = new SimulatedStepReports(engine, window.stepReporting());
                return new ReplayEstimator(new RemainingTimeEstimator(trained(window.past()), steps), steps);
            };
        }
        return text.equals(HISTORY) ? (engine, seed) -> trained(window.past()) : Estimators.parse(text);
    }

    /** Refuses what {@link #parse} would refuse. */
    static void check(String text) {
        if (!text.equals(LIVE)) {
            try {
                Estimators.parse(text);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        String.valueOf(e.getMessage()).replace("Known: ", "Known: live, "), e);
            }
        }
    }

    private static HistoryEstimator trained(List<PastJob> past) {
        HistoryEstimator history = new HistoryEstimator();
        past.forEach(job -> history.observe(job, job.submittedMillis()));
        return history;
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        return rule.remainingMillis(job, nowMillis);
    }

    @Override
    public @Nullable RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        return rule.runtimeEstimate(job, nowMillis);
    }

    @Override
    public void observe(JobView job, long nowMillis) {
        steps.onJobChanged(job, nowMillis);
        rule.observe(job, nowMillis);
    }

    @Override
    public long version(long nowMillis) {
        return rule.version(nowMillis);
    }

    @Override
    public long nextChangeMillis(long nowMillis) {
        return rule.nextChangeMillis(nowMillis);
    }
}
