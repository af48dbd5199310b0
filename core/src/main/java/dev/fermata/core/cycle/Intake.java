package dev.fermata.core.cycle;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/**
 * Takes in what is told from outside. What cannot be true any more (news about any attempt but the current one, about jobs that
 * ended) is late and dropped; the rest changes the ledger.
 */
final class Intake {
    private final Ledger ledger;

    Intake(Ledger ledger) {
        this.ledger = ledger;
    }

    void learn(Event event) {
        if (event instanceof Event.Submitted e) {
            submit(e.job());
        } else if (event instanceof Event.Running e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state == JobState.STARTING) {
                ledger.running(job, e.paceMicro());
            }
        } else if (event instanceof Event.PaceChanged e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state == JobState.RUNNING) {
                ledger.paced(job, e.paceMicro());
            }
        } else if (event instanceof Event.Profiled e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state == JobState.RUNNING) {
                ledger.profiled(job);
            }
        } else if (event instanceof Event.Left e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state.holdsGpus()) {
                ledger.left(job, e.outcome(), e.usage(), next(job, e.outcome()));
            }
        } else if (event instanceof Event.CancelAsked e) {
            cancel(ledger.find(e.jobId()));
        } else if (event instanceof Event.HoldAsked e) {
            setOnHold(ledger.find(e.jobId()), true);
        } else if (event instanceof Event.ReleaseAsked e) {
            setOnHold(ledger.find(e.jobId()), false);
        } else if (event instanceof Event.Changed e) {
            change(e.job());
        } else if (event instanceof Event.QueuesSet e) {
            ledger.setQueues(e.rules());
        } else if (event instanceof Event.NodeDown e) {
            ledger.fault(true, e.node(), true);
        } else if (event instanceof Event.NodeUp e) {
            ledger.fault(true, e.node(), false);
        } else if (event instanceof Event.GpuDown e) {
            ledger.fault(false, e.gpu(), true);
        } else if (event instanceof Event.GpuUp e) {
            ledger.fault(false, e.gpu(), false);
        }
    }

    private @Nullable JobRecord current(long id, int attempt) {
        JobRecord job = ledger.find(id);
        return job != null && job.attempt == attempt ? job : null;
    }

    private void submit(Job job) {
        if (ledger.find(job.id()) != null) {
            throw new IllegalArgumentException("job id (" + job.id() + ") is in use by a live job");
        }
        int needed = job.demand().minGpus();
        int offer = ledger.feasibility.largestOffer(job.demand(), job.demand().eligibleTypes(ledger.topology));
        if (offer < needed) {
            ledger.facts.add(new Fact.Refused(job, Verdict.of(job.id(), Reason.UNSATISFIABLE, needed, offer)));
        } else {
            ledger.admit(job, ledger.nowMillis);
        }
    }

    private static JobState next(JobRecord job, Outcome outcome) {
        if (job.cancelling && outcome != Outcome.COMPLETED) {
            return JobState.CANCELLED;
        }
        return switch (outcome) {
            case COMPLETED -> JobState.COMPLETED;
            case FAILED -> JobState.FAILED;
            case CANCELLED -> JobState.CANCELLED;
            case TIMEOUT -> JobState.TIMEOUT;
            case PAUSED, LOST -> JobState.PENDING;
            case OOM -> job.outOfMemory >= job.job.maxOutOfMemory() ? JobState.OOM : JobState.PENDING;
        };
    }

    private void cancel(@Nullable JobRecord job) {
        if (job != null && job.state == JobState.PENDING) {
            ledger.endInQueue(job, JobState.CANCELLED);
        } else if (job != null && !job.cancelling) {
            ledger.cancelling(job);
        }
    }

    private void setOnHold(@Nullable JobRecord job, boolean onHold) {
        if (job != null && job.onHold != onHold) {
            ledger.setOnHold(job, onHold);
        }
    }

    private void change(Job anew) {
        JobRecord job = ledger.find(anew.id());
        String rule = job == null ? null : demandStays(job, anew.demand());
        if (rule != null) {
            ledger.facts.add(new Fact.Rejected(anew.id(), "Changed", rule));
        } else if (job != null && !anew.equals(job.job)) {
            ledger.describe(job, anew);
        }
    }

    /**
     * What a job asks for stays: it may hold it. Whoever wants something else submits another job. Only how much GPU memory it
     * needs may become better known, while it neither holds nor is promised any.
     */
    private @Nullable String demandStays(JobRecord job, Demand anew) {
        Demand was = job.job.demand();
        if (anew.equals(was)) {
            return null;
        }
        if (!anew.withGpuMemory(was.gpuMemoryMib()).equals(was)) {
            return "the demand of a job stays as it was submitted";
        }
        if (job.state != JobState.PENDING || job.promise != null) {
            return "the GPU memory of a job stays while it holds GPUs or is promised some";
        }
        return ledger.feasibility.largestOffer(anew, anew.eligibleTypes(ledger.topology)) < anew.minGpus()
                ? "no GPUs of this cluster have that much memory"
                : null;
    }
}
