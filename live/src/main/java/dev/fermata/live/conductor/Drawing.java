package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.live.foresee.Came;
import dev.fermata.live.foresee.Guess;
import dev.fermata.live.foresee.Sketch;
import dev.fermata.live.learn.RemainingTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Draws sketches of the world for those who look at it elsewhere. Only on the conductor's thread; changes nothing. */
final class Drawing {
    /** A number that no job ever has. */
    private static final long NOBODY = Long.MAX_VALUE;

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
            guesses.put(job.id(), guessAnother(job, ring, now));
        }
        List<Came> recent = new ArrayList<>();
        for (Recent.Arrival arrival : ring.recent.latest()) {
            Job like = arrival.job().withId(NOBODY);
            recent.add(new Came(like, guessAnother(like, ring, now), now - arrival.atMillis()));
        }
        return new Sketch(
                ring.topology, conductor.policy, image, ring.scheduler.policysPast(), guesses, newcomers, recent, now);
    }

    /** Of a job that does not exist: the estimator must not take it for the one that may get its number. */
    private Guess guessAnother(Job job, Ring ring, long now) {
        Guess guess = guess(ring.estimator, new PastJob(job, JobState.PENDING, now, 0, 0), now);
        ring.estimator.noted(new PastJob(job, JobState.CANCELLED, now, 0, 0), now);
        return guess;
    }

    private Guess guess(LiveEstimator estimator, JobView job, long now) {
        RemainingTime remaining = estimator.remaining(job, now);
        return new Guess(
                job.doneWorkMillis(now),
                remaining.p50Millis(),
                remaining.p10Millis(),
                remaining.p90Millis(),
                estimator.outlook(job, now),
                costs(job.job().costs()));
    }

    /** How long it loads is a part of how long such jobs run as long as nobody has measured it apart. */
    private Costs costs(Costs believed) {
        Costs assumed = conductor.settings.costs();
        boolean measured = believed.firstLoadMillis() != assumed.firstLoadMillis()
                || believed.reloadMillis() != assumed.reloadMillis();
        return measured ? believed : new Costs(believed.pauseMillis(), 0, 0, 0);
    }
}
