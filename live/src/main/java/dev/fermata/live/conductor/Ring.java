package dev.fermata.live.conductor;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Calibration;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.Learned;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.Mask;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.Recovery;
import dev.fermata.live.store.RunRow;
import dev.fermata.live.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The ring in wall-clock time: the scheduler, the live jobs and the count of lines, all of which belong to one thread. It learns and
 * decides, and says what is to be made durable and what is to be done then; it does neither itself.
 */
final class Ring {
    final Topology topology;
    final Scheduler scheduler;
    final Roster roster = new Roster();
    final Floor floor;
    final FactLines facts;
    final Recent recent = new Recent();
    final LiveEstimator estimator;
    final Experience experience;
    private final Reports reports;
    private final Expectations expectations;
    private final Scribe scribe;
    private final Clerk clerk;
    private final Promises promises;
    private final Pacing pacing;
    private final Profiling profiling;
    /** Waiting jobs that can never start any more, with the reason; for the first turn. */
    private final Map<Long, String> hopeless;

    private long wakeAtMillis = Plan.NEVER;
    private boolean unasked = true;

    /** As the store has it: the image, the facts after it, and the rows of the jobs that have not ended. */
    Ring(
            Scheduler scheduler,
            LiveEstimator estimator,
            Calibration calibration,
            Recovery recovery,
            Store.Reader reader,
            Reports reports,
            ConductorSettings settings,
            Experience experience,
            String decider,
            String policy) {
        this.scheduler = scheduler;
        this.topology = scheduler.view().topology();
        this.floor = new Floor(topology);
        this.facts = new FactLines(topology);
        this.estimator = estimator;
        this.reports = reports;
        this.experience = experience;
        this.expectations = new Expectations(scheduler, estimator, calibration);
        this.pacing = new Pacing(scheduler, roster, floor, reports, experience);
        List<Integer> drained = fitting(recovery);
        for (JobRow row : recovery.live()) {
            roster.add(new LiveJob(row, experience.families));
        }
        for (RunRow row : recovery.liveRuns()) {
            LiveJob job = roster.find(row.jobId());
            if (job != null && job.state.holdsGpus()) {
                Allocation held = Objects.requireNonNull(live(job.id).allocation());
                LiveRun run = new LiveRun(row, held);
                run.shown = row.measured().isEmpty() ? null : facts.json().read(row.measured(), Measured.class);
                roster.change(job, j -> j.run = run);
                pacing.recall(run, held);
                reports.begin(job.id, job.attempt, Mask.of(job.spec));
            } else if (job != null && !row.measured().isEmpty()) {
                reports.waits(job.id, facts.json().read(row.measured(), Measured.class));
            }
        }
        checkRows();
        this.hopeless = hopeless(reader);
        floor.restore(scheduler.image(), scheduler.jobs(), drained);
        this.scribe = new Scribe(roster, floor, reports, pacing, facts, decider, policy, recovery.nextSeq());
        this.promises = new Promises(scheduler, experience);
        this.profiling = new Profiling(scheduler, roster, floor, experience, estimator, facts);
        this.clerk = new Clerk(roster, floor, scheduler, reader, settings, promises, recovery.nextJobId());
    }

    private List<Integer> fitting(Recovery recovery) {
        try {
            return rebuild(recovery);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the history cannot be continued on this cluster (" + topology.gpuCount() + " GPUs): "
                            + e.getMessage()
                            + ". Start the daemon with the GPUs it had before; they may change after a clean stop while no job is on them.",
                    e);
        }
    }

    private List<Integer> rebuild(Recovery recovery) {
        TreeSet<Integer> drained = new TreeSet<>();
        Optional<Image> image = recovery.image().map(text -> facts.json().read(text, Image.class));
        if (image.isPresent()) {
            scheduler.restore(image.get().ledger());
            drained.addAll(image.get().drained());
        }
        for (Line line : recovery.lines()) {
            Optional<Fact> fact = facts.fact(line);
            if (fact.isPresent()) {
                scheduler.replay(line.atMillis(), fact.get());
            } else if (line.kind().equals(Drained.KIND)) {
                Drained news = facts.json().read(line.body(), Drained.class);
                boolean changed = news.drained() ? drained.add(news.node()) : drained.remove(news.node());
                assert changed : line;
            }
        }
        return List.copyOf(drained);
    }

    /** Rows and history are written together; where they differ, something else wrote, and nothing may be decided on it. */
    private void checkRows() {
        List<JobView> ledger = scheduler.jobs();
        for (JobView job : ledger) {
            LiveJob row = roster.find(job.id());
            if (row == null || row.state != job.state() || row.attempt != job.attempt()) {
                throw new IllegalStateException("the history has job " + job.id() + " as " + job.state() + ", attempt "
                        + job.attempt() + ", but its row says "
                        + (row == null ? "it has ended" : row.state + ", attempt " + row.attempt));
            }
        }
        if (ledger.size() != roster.size()) {
            throw new IllegalStateException(
                    "the history has " + ledger.size() + " live jobs, but there are rows of " + roster.size());
        }
    }

    private JobView live(long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    /** One turn: everything in the mail, decided on once. */
    Turn turn(long nowMillis, Inbox.Mail mail) {
        Turn turn = new Turn(nowMillis, mail.requests());
        if (unasked) {
            dismissHopeless(turn);
            dismissMisfits(turn);
        }
        for (News news : mail.news()) {
            if (news instanceof News.Shown shown) {
                learning(turn, () -> profiling.hear(shown, begins(shown, mail), turn));
            }
        }
        // Before the lines of those that leave, which replace it: after a crash it is learned in this order again.
        int shown = turn.remarks.size();
        turn.remarks.forEach(remark -> scribe.write(remark, turn));
        for (News news : mail.news()) {
            if (news instanceof News.Happened happened) {
                hear(happened, turn);
            }
        }
        learning(turn, () -> {
            profiling.look(nowMillis);
            experience.spread(scheduler, roster, turn);
            pacing.look(turn);
        });
        for (Request request : mail.requests()) {
            clerk.take(request, turn, () -> step(turn));
        }
        boolean known = mail.news().stream().anyMatch(News.Progress.class::isInstance);
        if (turn.hasEvents() || nowMillis >= wakeAtMillis || unasked || known) {
            step(turn);
        }
        learning(turn, () -> expectations.look(nowMillis));
        for (Turn.Remark remark : turn.remarks.subList(shown, turn.remarks.size())) {
            scribe.write(remark, turn);
        }
        turn.retold.forEach(kind -> turn.kinds.add(experience.book.row(kind, lastSeq())));
        return turn;
    }

    /** Whether an attempt that has shown something begins to run in the same mail. */
    private static boolean begins(News.Shown shown, Inbox.Mail mail) {
        return mail.news().stream()
                .anyMatch(news -> news instanceof News.Happened happened
                        && happened.event() instanceof Event.Running running
                        && running.jobId() == shown.jobId()
                        && running.attempt() == shown.attempt());
    }

    /**
     * To the ledger a job that is gone ended as was wanted. Where a crash came between that end and the end of those who
     * wanted another, only the store knows better.
     */
    private Map<Long, String> hopeless(Store.Reader reader) {
        Map<Long, Optional<JobState>> ends = new HashMap<>();
        Map<Long, String> found = new LinkedHashMap<>();
        for (JobView job : scheduler.jobs()) {
            for (After after : job.state() == JobState.PENDING ? job.job().after() : List.<After>of()) {
                if (roster.find(after.jobId()) == null) {
                    ends.computeIfAbsent(after.jobId(), id -> reader.job(id).map(JobRow::state))
                            .filter(end -> !after.wanted().isMetBy(end == JobState.COMPLETED))
                            .ifPresent(end -> found.putIfAbsent(
                                    job.id(),
                                    "job " + after.jobId() + " has ended as " + end + "; this one waited for its "
                                            + after.wanted().name().toLowerCase(Locale.ROOT)));
                }
            }
        }
        return found;
    }

    private void dismissHopeless(Turn turn) {
        hopeless.forEach((id, why) -> {
            Objects.requireNonNull(roster.find(id)).detail = why;
            turn.tell(new Event.CancelAsked(id));
        });
    }

    /** The cluster may have shrunk since they were accepted: what can never run now would only stand in the way. */
    private void dismissMisfits(Turn turn) {
        for (JobView job : scheduler.jobs()) {
            int most = scheduler.largestOffer(job.job().demand());
            if (job.state() == JobState.PENDING
                    && !hopeless.containsKey(job.id())
                    && most < job.job().demand().minGpus()) {
                Objects.requireNonNull(roster.find(job.id())).detail = "this cluster has changed: it "
                        + new Offer(topology).against(job.job().demand(), most);
                turn.tell(new Event.CancelAsked(job.id()));
            }
        }
    }

    private void hear(News.Happened news, Turn turn) {
        Event event = news.event();
        if (event instanceof Event.NodeDown down) {
            floor.setFailed(down.node(), true);
        } else if (event instanceof Event.NodeUp up) {
            floor.setFailed(up.node(), false);
            if (floor.isDrained(up.node())) {
                return; // it is well again, but still not to be used
            }
        }
        LiveJob job = event instanceof Event.Left left ? roster.find(left.jobId()) : null;
        if (event instanceof Event.Left left && job != null && job.attempt == left.attempt()) {
            hear(left, news, job, turn);
        } else {
            turn.tell(event);
        }
    }

    /** Does something that is only learning, and takes the time. */
    private static void learning(Turn turn, Runnable lesson) {
        long begin = System.nanoTime();
        lesson.run();
        turn.learningNanos += System.nanoTime() - begin;
    }

    /** The attempt that a job has now is over. */
    private void hear(Event.Left told, News.Happened news, LiveJob job, Turn turn) {
        LiveRun run = job.run;
        boolean onGpus = run != null && job.state.holdsGpus();
        Event.Left left = run != null && onGpus ? pacing.corrected(told, run, turn.nowMillis) : told;
        News.Exit exit = news.exit();
        if (run != null && onGpus && exit != null && left.outcome() == Outcome.OOM) {
            exit = promises.ranOut(left, exit, job, run, turn);
        } else {
            turn.tell(left);
        }
        afterPause(left, turn);
        if (exit != null) {
            turn.exits.put(job.id, exit.saying(Mask.of(job.spec).over(exit.detail())));
        }
        if (run != null && onGpus) {
            learning(turn, () -> {
                learn(left, job, run, pacing.shown(run, news.measured()), turn);
                profiling.left(job);
                if (left.outcome() == Outcome.PAUSED || left.outcome() == Outcome.LOST) {
                    experience.returns(job, live(job.id), turn);
                }
            });
        }
    }

    private void learn(Event.Left left, LiveJob job, LiveRun run, Measured measured, Turn turn) {
        if (turn.learned.containsKey(job.id)) {
            return; // told twice, it is still one attempt and will have one line
        }
        if (left.outcome() == Outcome.OOM) {
            experience.changed(job.family, roster);
        }
        int tooLittle = turn.tooLittleMib.getOrDefault(job.id, -1);
        if (measured.isNothing() && tooLittle < 0) {
            return;
        }
        if (!measured.isNothing()) {
            if (left.outcome() != Outcome.COMPLETED) {
                reports.waits(job.id, measured); // whoever decides now is to know what it has left
            }
            turn.measured.put(job.id, measured);
            turn.classes.put(job.id, job.spec.jobClass().label());
        }
        Kind kind = experience.kind(job.family, run.allocation);
        Learned learned = new Learned(kind, Promises.unsound(left, run, measured), tooLittle, run.shown);
        turn.learned.put(job.id, learned);
        experience.learn(measured, learned, turn);
        experience.changedBeside(measured, roster);
    }

    /** What its user wants done when it was paused for somebody else; before the policy can start it again. */
    private void afterPause(Event.Left left, Turn turn) {
        LiveJob job = roster.find(left.jobId());
        LiveRun run = job == null ? null : job.run;
        boolean back = left.outcome() == Outcome.PAUSED || left.outcome() == Outcome.LOST;
        if (job == null || run == null || run.attempt != left.attempt() || !run.preempted() || !back) {
            return;
        }
        switch (job.spec.preempt().onPreempt()) {
            case "hold" -> turn.tell(new Event.HoldAsked(job.id));
            case "cancel" -> turn.tell(new Event.CancelAsked(job.id));
            default -> {} // back in the queue
        }
    }

    private void step(Turn turn) {
        unasked = false;
        Decision decision = scheduler.step(turn.nowMillis, turn.takeEvents());
        wakeAtMillis = decision.wakeAtMillis() <= turn.nowMillis ? turn.nowMillis + 1 : decision.wakeAtMillis();
        for (Fact fact : decision.facts()) {
            scribe.write(fact, turn);
            if (fact instanceof Fact.Submitted submitted) {
                recent.came(submitted.job(), turn.nowMillis);
            }
        }
        learning(
                turn,
                () -> decision.facts().forEach(fact -> {
                    expectations.heard(fact, turn);
                    profiling.heard(fact);
                }));
        for (Command command : decision.commands()) {
            turn.orders.add(order(command));
        }
    }

    private Consumer<LiveEngine> order(Command command) {
        if (command instanceof Command.Start start) {
            Launch launch = launch(start.jobId(), start.attempt(), start.allocation(), start.resumed());
            return engine -> engine.start(launch);
        } else if (command instanceof Command.Pause pause) {
            return engine -> engine.pause(pause.jobId(), pause.attempt(), pause.graceMillis());
        }
        return engine -> engine.kill(command.jobId(), command.attempt());
    }

    private Launch launch(long id, int attempt, Allocation allocation, boolean resumed) {
        LiveJob job = Objects.requireNonNull(roster.find(id));
        return new Launch(
                id,
                attempt,
                resumed,
                allocation,
                job.spec,
                job.user,
                live(id).savedWorkMillis(),
                job.runMillis,
                job.arrayId,
                allocation.shared() ? live(id).job().demand().gpuMemoryMib() : 0,
                experience.of(job.family, job.spec).loadsMillis());
    }

    /** Every attempt that the ledger has on GPUs, for an engine that is opened. */
    List<Launch> believed() {
        List<Launch> believed = new ArrayList<>();
        for (JobView job : scheduler.jobs()) {
            Allocation held = job.allocation();
            if (held != null && job.state().holdsGpus()) {
                believed.add(launch(job.id(), job.attempt(), held, job.resumed()));
            }
        }
        return believed;
    }

    /** Orders to leave that may not have reached the engine before the daemon died. */
    List<Consumer<LiveEngine>> unansweredOrders() {
        List<Consumer<LiveEngine>> orders = new ArrayList<>();
        for (LedgerImage.Page page : scheduler.image().jobs()) {
            if (page.state() == JobState.PAUSING) {
                long id = page.job().id();
                orders.add(order(
                        page.cancelling()
                                ? new Command.Kill(id, page.attempt())
                                : new Command.Pause(
                                        id, page.attempt(), page.job().graceMillis())));
            }
        }
        return orders;
    }

    /** The job that this spec would be, were it submitted now. */
    Job tried(Actor who, JobSpec spec) {
        return clerk.tried(who, spec, new Turn(0, List.of()));
    }

    /** Whether this job runs as the first of its kind, to show what such jobs need. */
    boolean profiles(LiveJob job) {
        return job.state.holdsGpus() && !live(job.id).job().trial().isNone();
    }

    long wakeAtMillis() {
        return unasked || experience.hasNews()
                ? 0
                : Math.min(
                        Math.min(wakeAtMillis, expectations.nextMillis()),
                        Math.min(pacing.nextMillis(), profiling.nextMillis()));
    }

    long lastSeq() {
        return scribe.lastSeq();
    }

    String image() {
        return facts.json().write(new Image(Image.VERSION, scheduler.image(), floor.drainedNodes()));
    }
}
