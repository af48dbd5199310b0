package dev.fermata.live.conductor;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.live.foresee.Guess;
import dev.fermata.live.foresee.Sketch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Draws sketches of the world for those who look at it elsewhere. Only on the conductor's thread; changes nothing. */
final class Drawing {
    /** How far what a script reports may be off, nine times out of ten: steps are even, but the last ones need not be. */
    private static final double REPORTED = 1.1;

    /** Users say what is surely enough: what they say is thought to be up to this many times too long, or too short. */
    private static final double DECLARED_LONG = 3;

    private static final double DECLARED_SHORT = 1.5;

    private final Conductor conductor;

    Drawing(Conductor conductor) {
        this.conductor = conductor;
    }

    Sketch sketch(List<Job> newcomers) {
        Ring ring = conductor.ring();
        long now = conductor.nowMillis();
        LedgerImage image = ring.scheduler.image();
        Map<Long, Guess> guesses = new HashMap<>(2 * image.jobs().size());
        for (LedgerImage.Page page : image.jobs()) {
            long id = page.job().id();
            guesses.put(id, guess(ring.estimator, Objects.requireNonNull(ring.scheduler.job(id)), now));
        }
        for (Job job : newcomers) {
            guesses.put(job.id(), guess(ring.estimator, past(job, JobState.PENDING, now), now));
            ring.estimator.noted(
                    past(job, JobState.CANCELLED, now), now); // it must not be taken for the job that gets its id
        }
        return new Sketch(ring.topology, conductor.policy, image, guesses, List.copyOf(newcomers), now);
    }

    private static PastJob past(Job job, JobState state, long now) {
        return new PastJob(job, state, now, 0, 0);
    }

    private Guess guess(Estimator estimator, JobView job, long now) {
        long done = job.doneWorkMillis(now);
        long remaining = estimator.remainingMillis(job, now);
        Outlook outlook = estimator.outlook(job, now);
        boolean reported =
                job.state() == JobState.RUNNING && conductor.reports.remainingMillis(job.id(), job.attempt(), now) > 0;
        long low = Math.max(1, Math.round(remaining / (reported ? REPORTED : DECLARED_LONG)));
        long high = Math.round(remaining * (reported ? REPORTED : DECLARED_SHORT));
        // Nobody measured how long it loads, so that is a part of how long such jobs run.
        Costs costs = new Costs(job.job().costs().pauseMillis(), 0, 0, 0);
        return new Guess(done, remaining, low, high, outlook, costs);
    }
}
