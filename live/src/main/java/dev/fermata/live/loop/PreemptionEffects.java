package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Job;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows for a job from an attempt that was preempted for another job. It never decides who is preempted. */
final class PreemptionEffects {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionEffects.class);
    /**
     * From this preemption on, one that loses the work of its attempt is the last. Without an end, two jobs that cannot save
     * would take turns for ever, and neither would get done.
     */
    private static final int LOSSES_FROM = 3;

    private final Scheduler scheduler;

    PreemptionEffects(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Adds the events that follow, before the policy can start the job again. */
    void apply(Event.AttemptEnded ended, LiveJob job, CycleOutput output) {
        LiveAttempt run = job.liveAttempt;
        boolean back = ended.outcome() == Outcome.PREEMPTED || ended.outcome() == Outcome.LOST;
        if (run == null || run.attempt != ended.attempt() || !run.isPreemptedForAnother() || !back) {
            return;
        }
        switch (job.spec.preempt().onPreempt()) {
            case "hold" -> output.addEvent(new Event.HoldRequested(job.id));
            case "cancel" -> output.addEvent(new Event.CancelRequested(job.id));
            default -> {
                if (ended.outcome() == Outcome.LOST) {
                    limitLosses(job, output);
                }
            }
        }
    }

    private void limitLosses(LiveJob job, CycleOutput output) {
        JobView view = Objects.requireNonNull(scheduler.job(job.id));
        Job known = output.currentJob(view);
        if (view.preemptions() >= LOSSES_FROM && view.preemptions() < known.maxPreemptions()) {
            LOG.warn("job {}: lost its work in preemption {}; it is not preempted again", job.id, view.preemptions());
            output.addEvent(new Event.JobUpdated(
                    known.toBuilder(job.id).maxPreemptions(view.preemptions()).build()));
        }
    }
}
