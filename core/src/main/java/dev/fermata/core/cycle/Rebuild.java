package dev.fermata.core.cycle;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.LedgerImage.Declined;
import dev.fermata.core.contract.LedgerImage.Gpus;
import dev.fermata.core.contract.LedgerImage.Page;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the image of a ledger and makes the same ledger again, from an image and the facts after it. Facts are replayed, not
 * decisions: nobody is asked, nothing is commanded, and what a fact says is true is taken as true, whatever today's policy or
 * today's rules would have said. What it derives (who holds what, what is free) comes from the same methods that wrote the
 * facts.
 */
final class Rebuild {
    private final Ledger ledger;
    private boolean unseen;

    Rebuild(Ledger ledger) {
        this.ledger = ledger;
    }

    LedgerImage image() {
        List<JobRecord> jobs = ledger.all();
        jobs.sort(Comparator.comparingLong(JobRecord::id));
        List<Page> pages = new ArrayList<>(jobs.size());
        for (JobRecord job : jobs) {
            pages.add(page(job));
        }
        List<Integer> nodesDown = new ArrayList<>();
        for (int node = 0; node < ledger.topology.nodes().size(); node++) {
            if (ledger.capacity.nodeIsDown(node)) {
                nodesDown.add(node);
            }
        }
        List<Integer> gpusDown = new ArrayList<>();
        for (int gpu = 0; gpu < ledger.topology.gpuCount(); gpu++) {
            if (ledger.capacity.gpuIsDown(gpu)) {
                gpusDown.add(gpu);
            }
        }
        return new LedgerImage(ledger.factMillis, pages, nodesDown, gpusDown, ledger.queueRules);
    }

    private static Page page(JobRecord job) {
        return new Page(
                job.job,
                job.state,
                job.attempt,
                job.submittedMillis,
                job.ticketMillis,
                job.queuedMillis,
                job.startedMillis,
                job.runningMillis,
                job.attainedMillis,
                job.attainedGpuMillis,
                job.savedWorkMillis,
                job.mostWorkMillis,
                job.paceMicro,
                job.paceSinceMillis,
                job.attemptWorkMicro,
                job.preemptions,
                job.outOfMemory,
                job.cancelling,
                job.onHold,
                Gpus.of(job.held),
                Gpus.of(job.promise),
                declined(job));
    }

    private static @Nullable Declined declined(JobRecord job) {
        Fact.Refrained last = job.refrained;
        return last == null
                ? null
                : new Declined(job.refrainedMillis, last.victims(), last.gainMillis(), last.costMillis());
    }

    void restore(LedgerImage image) {
        if (ledger.factMillis != 0 || ledger.nowMillis != 0 || ledger.pending + ledger.running > 0) {
            throw new IllegalStateException("only a fresh scheduler can restore an image");
        }
        ledger.open(image.factMillis());
        ledger.setQueues(image.queueRules());
        image.nodesDown().forEach(node -> ledger.fault(true, node, true));
        image.gpusDown().forEach(gpu -> ledger.fault(false, gpu, true));
        for (Page page : image.jobs()) {
            restore(page);
        }
        forgetNews();
    }

    private void restore(Page page) {
        JobRecord job = admit(page.job(), page.submittedMillis());
        Allocation held = page.held() == null ? null : page.held().on(ledger.topology);
        if (held == null && page.state() != JobState.PENDING) {
            throw new IllegalArgumentException("job " + page.job().id() + " is " + page.state() + " without GPUs");
        }
        if (held != null) {
            ledger.occupy(job, held);
            if (page.state() == JobState.PAUSING) {
                ledger.leave(job);
            }
        }
        job.state = page.state();
        job.attempt = page.attempt();
        job.ticketMillis = page.ticketMillis();
        job.queuedMillis = page.queuedMillis();
        job.startedMillis = page.startedMillis();
        job.runningMillis = page.runningMillis();
        job.attainedMillis = page.attainedMillis();
        job.attainedGpuMillis = page.attainedGpuMillis();
        job.savedWorkMillis = page.savedWorkMillis();
        job.mostWorkMillis = page.mostWorkMillis();
        job.paceMicro = page.paceMicro();
        job.paceSinceMillis = page.paceSinceMillis();
        job.attemptWorkMicro = page.attemptWorkMicro();
        job.preemptions = page.preemptions();
        job.outOfMemory = page.outOfMemory();
        job.cancelling = page.cancelling();
        job.onHold = page.onHold();
        Declined declined = page.declined();
        if (declined != null) {
            job.refrained =
                    new Fact.Refrained(job.id(), declined.victims(), declined.gainMillis(), declined.costMillis());
            job.refrainedMillis = declined.atMillis();
        }
        if (page.promise() != null) {
            ledger.promise(job, page.promise().on(ledger.topology));
        }
    }

    void replay(long nowMillis, Fact fact) {
        ledger.open(nowMillis);
        apply(fact);
        forgetNews();
    }

    private void apply(Fact fact) {
        if (fact instanceof Fact.Submitted f) {
            admit(f.job(), ledger.nowMillis);
        } else if (fact instanceof Fact.Started f) {
            JobRecord job = live(f, JobState.PENDING, f.attempt() - 1);
            ledger.start(job, f.allocation());
        } else if (fact instanceof Fact.Running f) {
            ledger.running(live(f, JobState.STARTING, f.attempt()), f.paceMicro());
        } else if (fact instanceof Fact.Paced f) {
            ledger.paced(live(f, JobState.RUNNING, f.attempt()), f.paceMicro());
        } else if (fact instanceof Fact.Promised f) {
            ledger.promise(live(f), f.allocation());
        } else if (fact instanceof Fact.Unpromised f) {
            JobRecord job = ledger.find(f.jobId()); // gone where its end or a fault broke the promise
            if (job != null) {
                ledger.breakPromise(job);
            }
        } else if (fact instanceof Fact.Pausing f) {
            ledger.pause(live(f, JobState.RUNNING, f.attempt()), f.beneficiary(), f.gainMillis(), f.costMillis());
        } else if (fact instanceof Fact.Profiled f) {
            ledger.profiled(live(f, JobState.RUNNING, f.attempt()));
        } else if (fact instanceof Fact.Refrained f) {
            ledger.refrained(live(f), f);
        } else if (fact instanceof Fact.Cancelling f) {
            ledger.cancelling(onGpus(f, f.attempt()));
        } else if (fact instanceof Fact.Left f) {
            ledger.left(onGpus(f, f.attempt()), f.outcome(), f.usage(), f.next());
        } else if (fact instanceof Fact.Ended f) {
            ledger.endInQueue(live(f), f.state());
        } else if (fact instanceof Fact.Held f) {
            ledger.setOnHold(live(f), true);
        } else if (fact instanceof Fact.Released f) {
            ledger.setOnHold(live(f), false);
        } else if (fact instanceof Fact.Changed f) {
            ledger.describe(live(f), f.job());
        } else if (fact instanceof Fact.QueuesSet f) {
            ledger.setQueues(f.rules());
        } else if (fact instanceof Fact.Capacity f) {
            ledger.fault(f.isNode(), f.index(), !f.up());
        } // Refused and Rejected changed nothing
    }

    private JobRecord admit(Job job, long submittedMillis) {
        if (ledger.find(job.id()) != null) {
            throw new IllegalArgumentException("the history submits job " + job.id() + " while it is live");
        }
        return ledger.admit(job, submittedMillis);
    }

    private JobRecord live(Fact fact) {
        JobRecord job = ledger.find(fact.jobId());
        return fits(fact, job != null, job);
    }

    private JobRecord live(Fact fact, JobState state, int attempt) {
        JobRecord job = ledger.find(fact.jobId());
        return fits(fact, job != null && job.state == state && job.attempt == attempt, job);
    }

    private JobRecord onGpus(Fact fact, int attempt) {
        JobRecord job = ledger.find(fact.jobId());
        return fits(fact, job != null && job.state.holdsGpus() && job.attempt == attempt, job);
    }

    private JobRecord fits(Fact fact, boolean fits, @Nullable JobRecord job) {
        if (job == null || !fits) {
            throw new IllegalArgumentException("the history does not fit together at " + ledger.nowMillis + " ms: "
                    + fact + ", but " + (job == null ? "there is no such live job" : "the job is " + job));
        }
        return job;
    }

    /** What was rebuilt is no news: facts and commands were given before, and ended jobs were seen to their end. */
    private void forgetNews() {
        ledger.forgetNews();
        unseen = true;
    }

    /** Before the first decision: the policy has seen none of the live jobs, so all of them are changes. */
    void showAll() {
        if (unseen) {
            unseen = false;
            List<JobRecord> jobs = ledger.all();
            jobs.sort(Comparator.comparingLong(JobRecord::submittedMillis).thenComparingLong(JobRecord::id));
            jobs.forEach(ledger::show);
        }
    }
}
