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
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tries a job on a copy of the world. The conductor's thread only draws the sketch (the ledger's image and what the estimator says
 * now); a scheduler of its own, with a policy that has no memory yet, is then asked on another thread.
 */
final class DryRun implements AutoCloseable {
    private static final int WAITING = 16;
    private static final long IDLE_SECONDS = 10;

    private final Conductor conductor;
    private final ThreadPoolExecutor thread;

    /** What the estimator says of one job. */
    private record Guess(long remainingMillis, @Nullable Outlook outlook) {}

    /** The world at one moment, and the job that is tried on it. */
    record Sketch(LedgerImage image, Map<Long, Guess> guesses, Job job, boolean hold, int offer, long nowMillis) {}

    DryRun(Conductor conductor) {
        this.conductor = conductor;
        thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), task -> {
                    Thread made = new Thread(task, "fermata-dry-run");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** On the conductor's thread. */
    Sketch sketch(Actor who, JobSpec spec) {
        Ring ring = conductor.ring();
        Job job = ring.tried(who, spec);
        long now = conductor.nowMillis();
        Map<Long, Guess> guesses = new HashMap<>();
        for (JobView live : ring.scheduler.jobs()) {
            guesses.put(live.id(), guess(ring.estimator, live, now));
        }
        int offer = ring.scheduler.largestOffer(job.demand());
        guesses.put(job.id(), guess(ring.estimator, new PastJob(job, JobState.PENDING, now, 0, 0), now));
        return new Sketch(ring.scheduler.image(), guesses, job, spec.hold(), offer, now);
    }

    private static Guess guess(Estimator estimator, JobView job, long now) {
        return new Guess(estimator.remainingMillis(job, now), estimator.outlook(job, now));
    }

    CompletableFuture<Prospect> look(Sketch sketch) {
        try {
            return CompletableFuture.supplyAsync(() -> prospect(sketch), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new Refusal(Kind.BUSY, "too many dry runs wait already; try again in a moment"));
        }
    }

    private Prospect prospect(Sketch sketch) {
        Job job = sketch.job();
        if (sketch.offer() < job.demand().minGpus()) {
            String why = new Offer(conductor.engine.topology()).against(job.demand(), sketch.offer());
            return new Prospect(false, false, List.of(), List.of(), 0, 0, Reason.UNSATISFIABLE, why);
        }
        PolicySpec policy = conductor.policy;
        Scheduler scheduler = new Scheduler(
                conductor.engine.topology(),
                policy.create(),
                new Remembered(sketch.guesses()),
                conductor.settings.guard(),
                policy.memoryPromise(),
                policy.mixedGangs());
        scheduler.restore(sketch.image());
        List<Event> events = new ArrayList<>();
        events.add(new Event.Submitted(job));
        if (sketch.hold()) {
            events.add(new Event.HoldAsked(job.id()));
        }
        Decision decision = scheduler.step(sketch.nowMillis(), events);
        return answer(sketch, scheduler, decision);
    }

    private static Prospect answer(Sketch sketch, Scheduler scheduler, Decision decision) {
        long id = sketch.job().id();
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
                victims.add(victim(sketch, pausing.jobId()));
                gain = pausing.gainMillis();
                cost = pausing.costMillis();
            }
        }
        if (starts) {
            return new Prospect(true, true, gpus, victims, gain, cost, null, "would start now");
        }
        Verdict verdict = scheduler.explain(id);
        String message = verdict == null ? "" : verdict.message();
        if (!victims.isEmpty()) {
            message = "would start when " + victims.size() + (victims.size() == 1 ? " job has" : " jobs have")
                    + " saved and left for it";
        }
        return new Prospect(true, false, gpus, victims, gain, cost, verdict == null ? null : verdict.reason(), message);
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
            Guess guess = guesses.get(job.id());
            return guess == null ? 1 : guess.remainingMillis();
        }

        @Override
        public @Nullable Outlook outlook(JobView job, long nowMillis) {
            Guess guess = guesses.get(job.id());
            return guess == null ? null : guess.outlook();
        }
    }
}
