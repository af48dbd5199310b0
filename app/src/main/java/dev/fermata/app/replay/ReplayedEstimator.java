package dev.fermata.app.replay;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.History;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.live.conductor.LiveEstimator;
import dev.fermata.sim.estimate.Estimators;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the daemon knew of how long jobs run, by the daemon's own rule, from what happens in the simulation. */
final class ReplayedEstimator implements Estimator {
    static final String LIVE = "live";
    private static final String HISTORY = "history";

    private final LiveEstimator rule;
    private final CountedSteps steps;

    private ReplayedEstimator(LiveEstimator rule, CountedSteps steps) {
        this.rule = rule;
        this.steps = steps;
    }

    /** {@code live}, {@code history} taught by what came before the episode, or one of the simulator's own. */
    static Estimators.Factory parse(String text, Episode episode) {
        if (text.equals(LIVE)) {
            return (engine, seed) -> {
                CountedSteps steps = new CountedSteps(engine, episode.counting());
                return new ReplayedEstimator(new LiveEstimator(taught(episode.past()), steps), steps);
            };
        }
        return text.equals(HISTORY) ? (engine, seed) -> taught(episode.past()) : Estimators.parse(text);
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

    private static History taught(List<PastJob> past) {
        History history = new History();
        past.forEach(job -> history.noted(job, job.submittedMillis()));
        return history;
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        return rule.remainingMillis(job, nowMillis);
    }

    @Override
    public @Nullable Outlook outlook(JobView job, long nowMillis) {
        return rule.outlook(job, nowMillis);
    }

    @Override
    public void noted(JobView job, long nowMillis) {
        steps.noted(job, nowMillis);
        rule.noted(job, nowMillis);
    }

    @Override
    public long version(long nowMillis) {
        return rule.version(nowMillis);
    }

    @Override
    public long nextMillis(long nowMillis) {
        return rule.nextMillis(nowMillis);
    }
}
