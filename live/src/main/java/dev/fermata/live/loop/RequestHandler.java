package dev.fermata.live.loop;

import dev.fermata.core.contract.Count;
import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.learning.MemoryReservations;
import dev.fermata.live.prediction.StartPredicted;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.SubmissionRow;
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
 * Turns requests into events for the scheduler, or rejects them. Only the scheduler loop's thread calls it, so two
 * submissions with the same key can never both be accepted.
 */
final class RequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);
    private static final long NO_JOB = -1;

    private final LiveJobIndex liveJobs;
    private final Scheduler scheduler;
    private final Store.StoreReader reader;
    private final LoopSettings settings;
    private final MemoryReservations memoryReservations;
    private final QueueAdmission queueAdmission;
    private long nextJobId;

    RequestHandler(
            LiveJobIndex liveJobs,
            Scheduler scheduler,
            Store.StoreReader reader,
            LoopSettings settings,
            MemoryReservations memoryReservations,
            QueueAdmission queueAdmission,
            long nextJobId) {
        this.liveJobs = liveJobs;
        this.scheduler = scheduler;
        this.reader = reader;
        this.settings = settings;
        this.memoryReservations = memoryReservations;
        this.queueAdmission = queueAdmission;
        this.nextJobId = nextJobId;
    }

    /** The id of the next job. */
    long nextJobId() {
        return nextJobId;
    }

    /** @param settle runs the scheduler on the events so far, for a request that depends on their effects */
    void handle(LoopRequest request, CycleOutput output, Runnable settle) {
        try {
            switch (request.type()) {
                case SUBMIT_JOBS -> submit((LoopRequest.SubmitJobs) request, output, settle);
                case JOB_REQUEST -> applyJobRequest((LoopRequest.JobRequest) request, output);
                case UPDATE_JOB -> update((LoopRequest.UpdateJob) request, output);
                case DRAIN_NODE -> drain((LoopRequest.DrainNode) request, output, settle);
                case SET_QUEUES -> setQueues((LoopRequest.SetQueues) request, output, settle);
                case UPDATE_PROFILES -> updateProfiles((LoopRequest.UpdateProfiles) request, output);
                case RECORD_AUDIT -> recordAudit((LoopRequest.RecordAudit) request, output);
                case RECORD_PREDICTIONS -> recordPredictions((LoopRequest.RecordPredictions) request, output);
                case RECORD_OBSERVED -> {
                    LoopRequest.RecordObserved seen = (LoopRequest.RecordObserved) request;
                    output.addEntry("engine", seen.shadow(), ObservedJob.TYPE, seen.job());
                    confirm(seen.answer(), output);
                }
                case LOOP_QUERY -> output.queries.add((LoopRequest.LoopQuery<?>) request);
            }
        } catch (RequestRejectedException rejection) {
            output.answers.add(() -> request.answer().completeExceptionally(rejection));
        } catch (StoreException e) {
            if (output.readFailure == null) {
                LOG.warn("request {} rejected: store read failed: {}", request.type(), e.getMessage());
            }
            output.readFailure = e;
            output.answers.add(() -> request.answer()
                    .completeExceptionally(new RequestRejectedException(
                            Category.UNAVAILABLE, "the store cannot be read: " + e.getMessage())));
        } catch (IllegalArgumentException e) {
            output.answers.add(() -> request.answer()
                    .completeExceptionally(
                            new RequestRejectedException(Category.INVALID, String.valueOf(e.getMessage()))));
        }
    }

    private static void confirm(CompletableFuture<Void> answer, CycleOutput output) {
        output.answers.add(() -> answer.complete(null));
    }

    private void updateProfiles(LoopRequest.UpdateProfiles request, CycleOutput output) {
        memoryReservations.updateProfiles(request.changes(), request.isForget(), liveJobs, output);
        output.audit(
                request.actor(), request.action(), Count.of(request.changes().size(), "profile"), "granted");
        confirm(request.answer(), output);
    }

    private static void recordAudit(LoopRequest.RecordAudit request, CycleOutput output) {
        output.audit(request.actor(), request.action(), request.target(), request.result());
        confirm(request.answer(), output);
    }

    private static void recordPredictions(LoopRequest.RecordPredictions request, CycleOutput output) {
        request.starts().forEach((job, start) -> output.addEntry("daemon", job, StartPredicted.TYPE, start.toRecord()));
        confirm(request.answer(), output);
    }

    // ---- submissions ----

    private void submit(LoopRequest.SubmitJobs submit, CycleOutput output, Runnable settle) {
        String user = submit.actor().user();
        String key = submit.key();
        if (key != null) {
            SubmissionRow earlier = output.submissions.get(user + "\n" + key);
            earlier = earlier != null
                    ? earlier
                    : readerOrThrow(output).submission(user, key).orElse(null);
            if (earlier != null) {
                answerRepeated(submit, earlier, output);
                return;
            }
        }
        checkLiveJobLimit(output.acceptedJobs.size() + submit.jobs().size());
        submit.jobs().forEach(spec -> queueAdmission.check(submit.actor(), spec));
        queueAdmission.checkJobLimits(submit.actor(), submit.jobs(), output.acceptedJobs.values());
        LiveJobBudget.check(liveJobs, output.acceptedJobs.values(), user, submit.jobs());
        if (submit.jobs().stream().anyMatch(spec -> !spec.dependencies().isEmpty()) && output.hasEvents()) {
            settle.run(); // a dependency may have ended in this cycle
        }
        List<Job> jobs = describeJobs(submit, output);
        List<Long> ids = jobs.stream().map(Job::id).toList();
        nextJobId += jobs.size();
        for (int i = 0; i < jobs.size(); i++) {
            Job job = jobs.get(i);
            JobSpec spec = submit.jobs().get(i);
            output.acceptedJobs.put(
                    job.id(),
                    new LiveJob(
                            job.id(),
                            user,
                            spec,
                            memoryReservations.programKey(spec),
                            output.nowMillis,
                            job.array().id()));
            output.actors.put(job.id(), user);
            output.addEvent(new Event.Submitted(job));
            if (spec.hold()) {
                output.addEvent(new Event.HoldRequested(job.id()));
            }
        }
        if (key != null) {
            output.submissions.put(
                    user + "\n" + key,
                    new SubmissionRow(user, key, submit.digest(), ids.get(0), ids.size(), output.nowMillis));
        }
        output.audit(submit.actor(), "submit", describeIds(ids), "granted");
        output.answers.add(() -> submit.answer().complete(ids));
    }

    private void checkLiveJobLimit(int more) {
        if (liveJobs.size() + more > settings.maxLiveJobs()) {
            throw new RequestRejectedException(
                    Category.BUSY,
                    "live jobs: " + liveJobs.size() + " of at most " + settings.maxLiveJobs()
                            + "; try again when some have ended");
        }
    }

    /** Fails at once after a failed read of this cycle, so that one slow store does not delay every request. */
    private Store.StoreReader readerOrThrow(CycleOutput output) {
        if (output.readFailure != null) {
            throw output.readFailure;
        }
        return reader;
    }

    private static void answerRepeated(LoopRequest.SubmitJobs submit, SubmissionRow earlier, CycleOutput output) {
        if (!earlier.digest().equals(submit.digest())) {
            throw new RequestRejectedException(
                    Category.CONFLICT,
                    "the key '" + earlier.key() + "' was used for other jobs (" + earlier.firstJob()
                            + " and on); use another key for these");
        }
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < earlier.jobs(); i++) {
            ids.add(earlier.firstJob() + i);
        }
        output.answers.add(() -> submit.answer().complete(List.copyOf(ids)));
    }

    private static String describeIds(List<Long> ids) {
        return ids.size() == 1 ? "job " + ids.get(0) : "jobs " + ids.get(0) + ".." + ids.get(ids.size() - 1);
    }

    private List<Job> describeJobs(LoopRequest.SubmitJobs submit, CycleOutput output) {
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
                throw new RequestRejectedException(
                        Category.INVALID, "an array must be submitted whole, its jobs one after the other");
            }
            JobArray jobArray = member
                    ? new JobArray(arrayId, spec.array().index(), spec.array().maxRunning())
                    : JobArray.NONE;
            leftOfArray -= member ? 1 : 0;
            Job job = queueAdmission.bounded(memoryReservations.describeJob(
                    spec, id, submit.actor().user(), openDependencies(spec, output), jobArray));
            if (!spec.hold()) {
                checkFeasible(job);
            }
            jobs.add(job);
        }
        if (leftOfArray > 0) {
            throw new RequestRejectedException(
                    Category.INVALID, "an array must be submitted whole; " + leftOfArray + " of its jobs are missing");
        }
        return jobs;
    }

    /** The job as it would be submitted, or the rejection. Whether it can ever run is for the dry run to say. */
    Job hypotheticalJob(Actor actor, JobSpec spec, CycleOutput nothingAsked) {
        checkLiveJobLimit(Math.max(1, spec.array().size()));
        queueAdmission.check(actor, spec);
        return queueAdmission.bounded(memoryReservations.describeJob(
                spec, nextJobId, actor.user(), openDependencies(spec, nothingAsked), JobArray.NONE));
    }

    private void checkFeasible(Job job) {
        Demand demand = job.demand();
        int max = scheduler.maxGpusOfOneType(demand);
        if (max < demand.minGpus()) {
            throw new RequestRejectedException(
                    Category.INVALID,
                    "job (" + job.name() + ") can never run here: it "
                            + new InfeasibilityMessage(scheduler.view().topology()).describe(demand, max));
        }
    }

    /** The dependencies on live jobs. */
    private List<Dependency> openDependencies(JobSpec spec, CycleOutput output) {
        List<Dependency> waiting = new ArrayList<>();
        for (Dependency after : spec.dependencies()) {
            if (liveJobs.find(after.jobId()) != null) {
                waiting.add(after);
            } else {
                checkDependency(after, endState(after.jobId(), output));
            }
        }
        return waiting;
    }

    /** The final state of a job that ended in this cycle or earlier. */
    private JobState endState(long id, CycleOutput output) {
        for (LiveJob job : output.changedJobs) {
            if (job.id == id) {
                return job.state();
            }
        }
        return readerOrThrow(output)
                .job(id)
                .map(JobRow::state)
                .orElseThrow(() ->
                        new RequestRejectedException(Category.INVALID, "there is no job " + id + " to depend on"));
    }

    private static void checkDependency(Dependency after, JobState state) {
        boolean met = switch (after.condition()) {
            case SUCCESS -> state == JobState.COMPLETED;
            case FAILURE -> state != JobState.COMPLETED;
            case ANY -> true;
        };
        if (!met) {
            throw new RequestRejectedException(
                    Category.INVALID,
                    "job " + after.jobId() + " has ended as " + state + "; a job that waits for its "
                            + after.condition().name().toLowerCase(Locale.ROOT) + " could never start");
        }
    }

    // ---- live jobs ----

    private LiveJob requireLive(long id) {
        LiveJob job = liveJobs.find(id);
        if (job != null) {
            return job;
        }
        if (id <= 0 || id >= nextJobId) {
            throw new RequestRejectedException(Category.NOT_FOUND, "there is no job " + id);
        }
        throw new RequestRejectedException(Category.CONFLICT, "job " + id + " has ended already");
    }

    private void applyJobRequest(LoopRequest.JobRequest request, CycleOutput output) {
        LiveJob job = requireLive(request.job());
        output.actors.put(job.id, request.actor().user());
        output.addEvent(
                switch (request.action()) {
                    case CANCEL -> new Event.CancelRequested(job.id);
                    case HOLD -> new Event.HoldRequested(job.id);
                    case RELEASE -> new Event.ReleaseRequested(job.id);
                    case SUSPEND -> suspend(job);
                    case RESUME -> resume(job);
                });
        output.audit(request.actor(), request.action().name().toLowerCase(Locale.ROOT), "job " + job.id, "granted");
        confirm(request.answer(), output);
    }

    private Event suspend(LiveJob job) {
        String obstacle = scheduler.suspendObstacle(job.id);
        if (obstacle != null) {
            throw new RequestRejectedException(
                    Category.CONFLICT, "job " + job.id + " cannot be suspended: " + obstacle);
        }
        return new Event.SuspendRequested(job.id);
    }

    private Event resume(LiveJob job) {
        JobView view = Objects.requireNonNull(scheduler.job(job.id));
        if (view.suspension() == null && !view.isSuspending()) {
            throw new RequestRejectedException(Category.CONFLICT, "job " + job.id + " is not suspended");
        }
        return new Event.ReleaseRequested(job.id);
    }

    private void update(LoopRequest.UpdateJob update, CycleOutput output) {
        LiveJob job = requireLive(update.job());
        JobSpec before = output.currentSpec(job);
        JobSpec spec = update.patch().applyTo(before);
        if (!spec.queue().equals(before.queue())) {
            queueAdmission.check(update.actor(), spec);
            queueAdmission.checkJobLimits(update.actor(), List.of(spec), output.acceptedJobs.values());
        }
        Job known = output.currentJob(Objects.requireNonNull(scheduler.job(job.id)));
        Job updated = known.toBuilder(job.id)
                .name(spec.name())
                .queue(spec.queue())
                .priority(spec.priority())
                .declaredMillis(memoryReservations.declaredMillis(spec))
                .limitMillis(spec.limitMillis())
                .maxPreemptions(spec.preempt().maxTimes())
                .build();
        output.updatedSpecs.put(job.id, spec);
        if (spec.limitMillis() != before.limitMillis() && job.state().holdsGpus()) {
            output.orders.add(new EngineOrder.Limit(job.id, job.attempt(), output.nowMillis, spec.limitMillis()));
        }
        output.actors.put(job.id, update.actor().user());
        output.addEvent(new Event.JobUpdated(updated));
        output.audit(update.actor(), "update", "job " + job.id, "granted");
        confirm(update.answer(), output);
    }

    // ---- the cluster ----

    private void drain(LoopRequest.DrainNode request, CycleOutput output, Runnable settle) {
        int node = request.node();
        int nodes = scheduler.view().topology().nodes().size();
        if (node < 0 || node >= nodes) {
            throw new RequestRejectedException(
                    Category.NOT_FOUND, "there is no node " + node + "; nodes are 0.." + (nodes - 1));
        }
        setClusterActor(request.actor(), output, settle);
        output.addEvent(
                request.drained()
                        ? new Event.NodeDrained(
                                node,
                                new DrainNote(request.reason(), request.actor().user()))
                        : new Event.NodeUndrained(node));
        output.audit(request.actor(), request.drained() ? "drain" : "undrain", "node " + node, "granted");
        confirm(request.answer(), output);
    }

    /** Records about the cluster name this actor from now on; what another one requested is settled before. */
    private static void setClusterActor(Actor actor, CycleOutput output, Runnable settle) {
        if (!output.actors.getOrDefault(NO_JOB, actor.user()).equals(actor.user())) {
            settle.run();
        }
        output.actors.put(NO_JOB, actor.user());
    }

    private void setQueues(LoopRequest.SetQueues request, CycleOutput output, Runnable settle) {
        Set<String> paths = new HashSet<>();
        for (QueueRule rule : request.rules()) {
            if (!paths.add(rule.path())) {
                throw new RequestRejectedException(
                        Category.INVALID, "queue (" + rule.path() + ") has two rules; give it one");
            }
        }
        setClusterActor(request.actor(), output, settle);
        output.addEvent(new Event.QueuesSet(request.rules()));
        output.audit(request.actor(), "queues", paths.size() + " rules", "granted");
        confirm(request.answer(), output);
    }
}
