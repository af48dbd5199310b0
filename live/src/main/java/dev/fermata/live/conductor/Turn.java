package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Job;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.Learned;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.EstimateRow;
import dev.fermata.live.store.KindRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.PairRow;
import dev.fermata.live.store.StoreException;
import dev.fermata.live.store.Submission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one cycle has learned, and what it will make durable and then say. */
final class Turn {
    final long nowMillis;
    private final List<Request> requests;

    /** What the scheduler has not heard yet. */
    private List<Event> events = new ArrayList<>();

    /** Jobs that are described anew among them. */
    private final Map<Long, Job> anew = new HashMap<>();

    /** Jobs that were accepted in this turn and are not in the ledger yet. */
    final Map<Long, LiveJob> arriving = new HashMap<>();

    /** Specs of jobs that are to be described anew. */
    final Map<Long, JobSpec> described = new HashMap<>();

    /** Who asked for something about this job; -1 for the cluster. */
    final Map<Long, String> actors = new HashMap<>();

    final Map<Long, News.Exit> exits = new HashMap<>();

    /** What the attempts showed that left. */
    final Map<Long, Measured> measured = new HashMap<>();

    /** What was learned from them. */
    final Map<Long, Learned> learned = new HashMap<>();

    /** GPU memory that attempts had which ran out of it. */
    final Map<Long, Integer> tooLittleMib = new HashMap<>();

    /** Classes of those attempts' jobs. */
    final Map<Long, String> classes = new HashMap<>();

    /** Kinds of which a person said something. */
    final Set<Kind> retold = new LinkedHashSet<>();

    final List<KindRow> kinds = new ArrayList<>();
    final List<PairRow> pairs = new ArrayList<>();
    final List<EstimateRow> estimates = new ArrayList<>();
    final Map<String, Submission> submissions = new HashMap<>();

    /** How much of it was spent on learning. */
    long learningNanos;

    /** Set once something could not be looked up: whoever needs that too is not worth the wait. */
    @Nullable
    StoreException unreadable;

    final List<Line> lines = new ArrayList<>();
    final Set<LiveJob> jobs = new LinkedHashSet<>();
    final Set<LiveRun> runs = new LinkedHashSet<>();
    final List<AuditRow> audit = new ArrayList<>();

    /** Whether a job came, or came back, to the queue. */
    boolean arrived;

    /** For the history, but no facts of the ledger. */
    final List<Remark> remarks = new ArrayList<>();

    /** What is said after all of it is durable: orders to the engine, answers to those who asked, then questions. */
    final List<Consumer<LiveEngine>> orders = new ArrayList<>();

    final List<Runnable> answers = new ArrayList<>();
    final List<Request.Ask<?>> questions = new ArrayList<>();

    /** A line of the history about something that the ledger does not know; {@code jobId} is -1 for what concerns no job. */
    record Remark(String actor, long jobId, String kind, Object body) {}

    Turn(long nowMillis, List<Request> requests) {
        this.nowMillis = nowMillis;
        this.requests = requests;
    }

    /** The scheduler is to hear of this at its next step. */
    void tell(Event event) {
        events.add(event);
        if (event instanceof Event.Changed changed) {
            anew.put(changed.job().id(), changed.job());
        }
    }

    /** Whether there is something that the scheduler has not heard. */
    boolean hasEvents() {
        return !events.isEmpty();
    }

    /** All that the scheduler has not heard; it is about to. */
    List<Event> takeEvents() {
        List<Event> taken = events;
        events = new ArrayList<>();
        anew.clear();
        return taken;
    }

    /** The job as the ledger has it, or will have it after the next step. */
    Job known(JobView view) {
        return anew.getOrDefault(view.id(), view.job());
    }

    void audit(Actor who, String action, String target, String result) {
        audit.add(new AuditRow(0, nowMillis, who.user(), who.role(), who.from(), action, target, result));
    }

    /** Whoever asked for something in this turn is told that it did not come to pass. */
    void refuse(Refusal refusal) {
        requests.forEach(request -> request.answer().completeExceptionally(refusal));
    }

    Batch batch() {
        return new Batch(
                List.copyOf(lines),
                jobs.stream().map(LiveJob::row).toList(),
                runs.stream().map(LiveRun::row).toList(),
                List.copyOf(submissions.values()),
                List.copyOf(audit),
                kinds,
                estimates,
                pairs);
    }
}
