package dev.fermata.live.conductor;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Guess;
import dev.fermata.live.foresee.Sketch;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tries a job on a copy of the world. The conductor's thread only draws the sketch; a scheduler of its own, with a policy that has no
 * memory yet, is then asked on another thread what it would do now, and the simulator when it would start.
 */
final class DryRun {
    private final Conductor conductor;
    private final Drawing drawing;
    private final Foreseer foreseer;

    /** The world at one moment, and the job that is tried on it. */
    record Trial(Sketch sketch, Job job, boolean hold, int offer) {}

    DryRun(Conductor conductor, Foreseer foreseer) {
        this.conductor = conductor;
        this.drawing = new Drawing(conductor);
        this.foreseer = foreseer;
    }

    /** On the conductor's thread. */
    Trial trial(Actor who, JobSpec spec) {
        Ring ring = conductor.ring();
        Job job = ring.tried(who, spec);
        return new Trial(drawing.sketch(List.of(job)), job, spec.hold(), ring.scheduler.largestOffer(job.demand()));
    }

    CompletableFuture<Prospect> look(Trial trial) {
        return foreseer.aside(() -> prospect(trial));
    }

    private Prospect prospect(Trial trial) {
        Job job = trial.job();
        Sketch sketch = trial.sketch();
        if (trial.offer() < job.demand().minGpus()) {
            String why = new Offer(sketch.topology()).against(job.demand(), trial.offer());
            return new Prospect(false, false, List.of(), List.of(), 0, 0, Reason.UNSATISFIABLE, why, null);
        }
        PolicySpec policy = sketch.policy();
        Scheduler scheduler = new Scheduler(
                sketch.topology(),
                policy.create(),
                new Remembered(sketch.guesses()),
                conductor.settings.guard(),
                policy.memoryPromise(),
                policy.mixedGangs());
        scheduler.restore(sketch.image());
        List<Event> events = new ArrayList<>();
        events.add(new Event.Submitted(job));
        if (trial.hold()) {
            events.add(new Event.HoldAsked(job.id()));
        }
        Decision decision = scheduler.step(sketch.nowMillis(), events);
        ExpectedStart start = trial.hold()
                ? ExpectedStart.unknown(sketch.nowMillis(), "it would be on hold and start some time after its release")
                : foreseer.foresee(sketch).get(job.id());
        return answer(trial, scheduler, decision, start);
    }

    private static Prospect answer(Trial trial, Scheduler scheduler, Decision decision, @Nullable ExpectedStart start) {
        long id = trial.job().id();
        List<Prospect.Victim> victims = new ArrayList<>();
        List<Integer> gpus = List.of();
        boolean starts = false;
        long gain = 0;
        long cost = 0;
        for (Fact fact : decision.facts()) {
            if (fact instanceof Fact.Started started && started.jobId() == id) {
                gpus = numbers(started.allocation());
                starts = true;
            } else if (fact instanceof Fact.Promised promised && promised.jobId() == id) {
                gpus = numbers(promised.allocation());
            } else if (fact instanceof Fact.Pausing pausing && pausing.beneficiary() == id) {
                victims.add(victim(trial.sketch(), pausing.jobId()));
                gain = pausing.gainMillis();
                cost = pausing.costMillis();
            }
        }
        if (starts) {
            return new Prospect(true, true, gpus, victims, gain, cost, null, "would start now", start);
        }
        Verdict verdict = scheduler.explain(id);
        String message = verdict == null ? "" : verdict.message();
        if (!victims.isEmpty()) {
            message = "would start when " + victims.size() + (victims.size() == 1 ? " job has" : " jobs have")
                    + " saved and left for it";
        }
        return new Prospect(
                true, false, gpus, victims, gain, cost, verdict == null ? null : verdict.reason(), message, start);
    }

    private static List<Integer> numbers(Allocation allocation) {
        return Arrays.stream(allocation.toArray()).boxed().toList();
    }

    private static Prospect.Victim victim(Sketch sketch, long id) {
        for (LedgerImage.Page page : sketch.image().jobs()) {
            LedgerImage.Gpus held = page.held();
            if (page.job().id() == id && page.state() != JobState.PENDING && held != null) {
                return new Prospect.Victim(
                        id, page.job().name(), page.job().user(), held.numbers().size());
            }
        }
        return new Prospect.Victim(id, "", "", 0); // it would have started in the same decision
    }

    /** Says what the conductor's estimator said when the sketch was drawn. */
    private record Remembered(Map<Long, Guess> guesses) implements Estimator {
        @Override
        public long remainingMillis(JobView job, long nowMillis) {
            return guess(job).remainingMillis();
        }

        @Override
        public @Nullable Outlook outlook(JobView job, long nowMillis) {
            return guess(job).outlook();
        }

        private Guess guess(JobView job) {
            return Objects.requireNonNull(guesses.get(job.id()));
        }
    }
}
