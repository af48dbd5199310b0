package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.foresee.Foreseen;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.Submission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what is asked into events for the scheduler, or refuses it. Only the conductor's thread works here, so that two requests
 * with one key can never both be new.
 */
final class Clerk {
    private static final Logger LOG = LoggerFactory.getLogger(Clerk.class);
    private static final long CLUSTER = -1;

    private final Roster roster;
    private final Floor floor;
    private final Scheduler scheduler;
    private final Store.Reader reader;
    private final ConductorSettings settings;
    private final Promises promises;
    private final Offer offer;
    private long nextJobId;

    Clerk(
            Roster roster,
            Floor floor,
            Scheduler scheduler,
            Store.Reader reader,
            ConductorSettings settings,
            Promises promises,
            long nextJobId) {
        this.roster = roster;
        this.floor = floor;
        this.scheduler = scheduler;
        this.reader = reader;
        this.settings = settings;
        this.promises = promises;
        this.offer = new Offer(scheduler.view().topology());
        this.nextJobId = nextJobId;
    }

    /** @param settle lets the scheduler hear what this turn has learned so far, where a request depends on it */
    void take(Request request, Turn turn, Runnable settle) {
        try {
            if (request instanceof Request.Submit submit) {
                submit(submit, turn, settle);
            } else if (request instanceof Request.OfJob ofJob) {
                ask(ofJob, turn);
            } else if (request instanceof Request.Update update) {
                update(update, turn);
            } else if (request instanceof Request.Drain drain) {
                drain(drain, turn);
            } else if (request instanceof Request.SetQueues queues) {
                setQueues(queues, turn);
            } else if (request instanceof Request.Retell retell) {
                promises.retell(retell, roster, turn);
                turn.audit(retell.who(), retell.action(), retell.changes().size() + " profiles", "granted");
                answer(retell.answer(), turn);
            } else if (request instanceof Request.Note note) {
                turn.audit(note.who(), note.action(), note.target(), note.result());
                answer(note.answer(), turn);
            } else if (request instanceof Request.Foresaw foresaw) {
                foresaw.starts()
                        .forEach((job, start) ->
                                turn.remarks.add(new Turn.Remark("daemon", job, Foreseen.KIND, start.foreseen())));
                answer(foresaw.answer(), turn);
            } else if (request instanceof Request.Ask<?> question) {
                turn.questions.add(question);
            }
        } catch (Refusal refusal) {
            turn.answers.add(() -> request.answer().completeExceptionally(refusal));
        } catch (StoreException e) {
            if (turn.unreadable == null) {
                LOG.warn("a request could not be looked up: {}", e.getMessage());
            }
            turn.unreadable = e;
            turn.answers.add(() -> request.answer()
                    .completeExceptionally(
                            new Refusal(Kind.UNAVAILABLE, "the store cannot be read: " + e.getMessage())));
        } catch (IllegalArgumentException e) {
            turn.answers.add(() ->
                    request.answer().completeExceptionally(new Refusal(Kind.INVALID, String.valueOf(e.getMessage()))));
        }
    }

    private static void answer(CompletableFuture<Void> answer, Turn turn) {
        turn.answers.add(() -> answer.complete(null));
    }

    // ---- submissions ----

    private void submit(Request.Submit submit, Turn turn, Runnable settle) {
        String user = submit.who().user();
        String key = submit.key();
        if (key != null) {
            Submission earlier = turn.submissions.get(user + "\n" + key);
            earlier = earlier != null
                    ? earlier
                    : readable(turn).submission(user, key).orElse(null);
            if (earlier != null) {
                again(submit, earlier, turn);
                return;
            }
        }
        expectRoom(turn.arriving.size() + submit.jobs().size());
        if (submit.jobs().stream().anyMatch(spec -> !spec.after().isEmpty()) && turn.hasEvents()) {
            settle.run(); // a job it comes after may just have ended
        }
        List<Job> jobs = jobs(submit, turn);
        List<Long> ids = jobs.stream().map(Job::id).toList();
        nextJobId += jobs.size();
        for (int i = 0; i < jobs.size(); i++) {
            Job job = jobs.get(i);
            JobSpec spec = submit.jobs().get(i);
            turn.arriving.put(
                    job.id(),
                    new LiveJob(
                            job.id(),
                            user,
                            spec,
                            promises.family(spec),
                            turn.nowMillis,
                            job.bundle().id()));
            turn.actors.put(job.id(), user);
            turn.tell(new Event.Submitted(job));
            if (spec.hold()) {
                turn.tell(new Event.HoldAsked(job.id()));
            }
        }
        if (key != null) {
            turn.submissions.put(
                    user + "\n" + key,
                    new Submission(user, key, submit.digest(), ids.get(0), ids.size(), turn.nowMillis));
        }
        turn.audit(submit.who(), "submit", range(ids), "granted");
        turn.answers.add(() -> submit.answer().complete(ids));
    }

    private void expectRoom(int more) {
        if (roster.size() + more > settings.liveJobs()) {
            throw new Refusal(
                    Kind.BUSY,
                    roster.size() + " jobs are waiting or running and at most " + settings.liveJobs()
                            + " may be; come back when some have ended");
        }
    }

    /** A store that just failed would make everybody who asks in this turn wait as long again. */
    private Store.Reader readable(Turn turn) {
        if (turn.unreadable != null) {
            throw turn.unreadable;
        }
        return reader;
    }

    private static void again(Request.Submit submit, Submission earlier, Turn turn) {
        if (!earlier.digest().equals(submit.digest())) {
            throw new Refusal(
                    Kind.CONFLICT,
                    "the key '" + earlier.key() + "' was used for other jobs (" + earlier.firstJob()
                            + " and on); use another key for these");
        }
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < earlier.jobs(); i++) {
            ids.add(earlier.firstJob() + i);
        }
        turn.answers.add(() -> submit.answer().complete(List.copyOf(ids)));
    }

    private static String range(List<Long> ids) {
        return ids.size() == 1 ? "job " + ids.get(0) : "jobs " + ids.get(0) + ".." + ids.get(ids.size() - 1);
    }

    private List<Job> jobs(Request.Submit submit, Turn turn) {
        List<Job> jobs = new ArrayList<>(submit.jobs().size());
        long arrayId = -1;
        int leftOfArray = 0;
        for (int i = 0; i < submit.jobs().size(); i++) {
            JobSpec spec = submit.jobs().get(i);
            long id = nextJobId + i;
            if (leftOfArray == 0 && spec.array().size() > 0) {
                arrayId = id;
                leftOfArray = spec.array().size();
            }
            boolean member = leftOfArray > 0;
            if (member != spec.array().size() > 0) {
                throw new Refusal(Kind.INVALID, "an array must be submitted whole, its jobs one after the other");
            }
            Bundle bundle = member
                    ? new Bundle(arrayId, spec.array().index(), spec.array().atMost())
                    : Bundle.NONE;
            leftOfArray -= member ? 1 : 0;
            Job job = promises.described(spec, id, submit.who().user(), after(spec, turn), bundle);
            if (!spec.hold()) {
                checkOffer(job);
            }
            jobs.add(job);
        }
        if (leftOfArray > 0) {
            throw new Refusal(
                    Kind.INVALID, "an array must be submitted whole; " + leftOfArray + " of its jobs are missing");
        }
        return jobs;
    }

    /** The job as it would be submitted, or the refusal it would get; whether it could ever run is the trial's answer. */
    Job tried(Actor who, JobSpec spec, Turn nothingAsked) {
        expectRoom(Math.max(1, spec.array().size()));
        return promises.described(spec, nextJobId, who.user(), after(spec, nothingAsked), Bundle.NONE);
    }

    private void checkOffer(Job job) {
        Demand demand = job.demand();
        int most = scheduler.largestOffer(demand);
        if (most < demand.minGpus()) {
            throw new Refusal(
                    Kind.INVALID, "job (" + job.name() + ") can never run here: it " + offer.against(demand, most));
        }
    }

    /** The jobs it still has to wait for. */
    private List<After> after(JobSpec spec, Turn turn) {
        List<After> waiting = new ArrayList<>();
        for (After after : spec.after()) {
            if (roster.find(after.jobId()) != null) {
                waiting.add(after);
            } else {
                checkEnded(after, ended(after.jobId(), turn));
            }
        }
        return waiting;
    }

    /** How a job ended, in this turn or before. */
    private JobState ended(long id, Turn turn) {
        for (LiveJob job : turn.jobs) {
            if (job.id == id) {
                return job.state;
            }
        }
        return readable(turn)
                .job(id)
                .map(JobRow::state)
                .orElseThrow(() -> new Refusal(Kind.INVALID, "there is no job " + id + " to come after"));
    }

    private static void checkEnded(After after, JobState state) {
        boolean met = switch (after.wanted()) {
            case SUCCESS -> state == JobState.COMPLETED;
            case FAILURE -> state != JobState.COMPLETED;
            case ANY -> true;
        };
        if (!met) {
            throw new Refusal(
                    Kind.INVALID,
                    "job " + after.jobId() + " has ended as " + state + "; a job that waits for its "
                            + after.wanted().name().toLowerCase(Locale.ROOT) + " could never start");
        }
    }

    // ---- live jobs ----

    private LiveJob live(long id) {
        LiveJob job = roster.find(id);
        if (job != null) {
            return job;
        }
        if (id <= 0 || id >= nextJobId) {
            throw new Refusal(Kind.NOT_FOUND, "there is no job " + id);
        }
        throw new Refusal(Kind.CONFLICT, "job " + id + " has ended already");
    }

    private void ask(Request.OfJob request, Turn turn) {
        LiveJob job = live(request.job());
        turn.actors.put(job.id, request.who().user());
        turn.tell(
                switch (request.verb()) {
                    case CANCEL -> new Event.CancelAsked(job.id);
                    case HOLD -> new Event.HoldAsked(job.id);
                    case RELEASE -> new Event.ReleaseAsked(job.id);
                });
        turn.audit(request.who(), request.verb().name().toLowerCase(Locale.ROOT), "job " + job.id, "granted");
        answer(request.answer(), turn);
    }

    private void update(Request.Update update, Turn turn) {
        LiveJob job = live(update.job());
        JobSpec before = turn.described.getOrDefault(job.id, job.spec);
        JobSpec spec = update.patch().on(before);
        Job known = turn.known(Objects.requireNonNull(scheduler.job(job.id)));
        Job anew = known.toBuilder(job.id)
                .name(spec.name())
                .queue(spec.queue())
                .priority(spec.priority())
                .declaredMillis(promises.declaredMillis(spec))
                .limitMillis(spec.limitMillis())
                .maxPreemptions(spec.preempt().maxTimes())
                .build();
        turn.described.put(job.id, spec);
        if (spec.limitMillis() != before.limitMillis() && job.state.holdsGpus()) {
            int attempt = job.attempt;
            turn.orders.add(engine -> engine.limit(job.id, attempt, spec.limitMillis()));
        }
        turn.actors.put(job.id, update.who().user());
        turn.tell(new Event.Changed(anew));
        turn.audit(update.who(), "update", "job " + job.id, "granted");
        answer(update.answer(), turn);
    }

    // ---- the cluster ----

    private void drain(Request.Drain request, Turn turn) {
        int node = request.node();
        int nodes = scheduler.view().topology().nodes().size();
        if (node < 0 || node >= nodes) {
            throw new Refusal(Kind.NOT_FOUND, "there is no node " + node + "; nodes are 0.." + (nodes - 1));
        }
        if (floor.isDrained(node) != request.drained()) {
            floor.setDrained(node, request.drained());
            turn.actors.put(CLUSTER, request.who().user());
            turn.remarks.add(
                    new Turn.Remark(request.who().user(), CLUSTER, Drained.KIND, new Drained(node, request.drained())));
            if (!floor.hasFailed(node)) {
                turn.tell(request.drained() ? new Event.NodeDown(node) : new Event.NodeUp(node));
            }
        }
        turn.audit(request.who(), request.drained() ? "drain" : "undrain", "node " + node, "granted");
        answer(request.answer(), turn);
    }

    private void setQueues(Request.SetQueues request, Turn turn) {
        Set<String> paths = new HashSet<>();
        for (QueueRule rule : request.rules()) {
            if (!paths.add(rule.path())) {
                throw new Refusal(Kind.INVALID, "queue (" + rule.path() + ") has two rules; give it one");
            }
        }
        turn.actors.put(CLUSTER, request.who().user());
        turn.tell(new Event.QueuesSet(request.rules()));
        turn.audit(request.who(), "queues", paths.size() + " rules", "granted");
        answer(request.answer(), turn);
    }
}
