package dev.fermata.sim.engine;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Engine;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Toll;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Plays the cluster in virtual time: loads, runs at the pace the speed model says, saves and leaves when told, fails when
 * its hardware does or when memory is over-committed, and is stopped at its time limit. It answers only by events.
 */
public final class SimulatedEngine implements Engine {
    /** A job between its arrival and its end: the work left between attempts, and the attempt on GPUs, if any. */
    private static final class Life {
        final TrueJob job;
        long leftMicro;
        long ranMillis;

        @Nullable
        Run run;

        Life(TrueJob job) {
            this.job = job;
            this.leftMicro = job.durationMillis() * Pace.UNIT;
        }
    }

    /** Something due: the next step of an attempt, or of the faults. */
    private record Timer(@Nullable Run run, int generation) {}

    private final Topology topology;
    private final Faults faults;
    private final TimerQueue<Timer> timers = new TimerQueue<>();
    private final LongMap<Life> lives = new LongMap<>();
    private final Map<Integer, List<Run>> sharing = new HashMap<>();
    private List<Event> news = new ArrayList<>();
    private int attempts;

    public SimulatedEngine(Topology topology, Faults faults) {
        this.topology = topology;
        this.faults = faults;
        if (faults.nextMillis() != Long.MAX_VALUE) {
            timers.add(faults.nextMillis(), new Timer(null, 0));
        }
    }

    /** A job of the workload arrives: from now on the engine knows its truth. */
    public void arrive(TrueJob job) {
        lives.put(job.job().id(), new Life(job));
    }

    /**
     * A job that is live already goes on from what a ledger remembers of it: its saved work, and its attempt if it is on GPUs,
     * wherever that is in its life. The job's true duration includes what it has done.
     */
    public void adopt(TrueJob job, LedgerImage.Page page, long now) {
        Life life = new Life(job);
        lives.put(job.job().id(), life);
        life.leftMicro = Math.max(1, (job.durationMillis() - page.savedWorkMillis()) * Pace.UNIT);
        boolean ran = page.state() != JobState.STARTING && page.runningMillis() >= page.startedMillis();
        long asked = page.paceSinceMillis(); // of one that is to leave: since then it makes no progress
        boolean leaves = page.state() == JobState.PAUSING;
        life.ranMillis = page.attainedMillis() - (leaves && ran ? asked - page.runningMillis() : 0);
        LedgerImage.Gpus held = page.held();
        if (held == null) {
            return;
        }
        Run run = new Run(job, page.attempt(), held.on(topology), page.startedMillis(), life.leftMicro, life.ranMillis);
        board(life, run);
        if (page.state() == JobState.STARTING) {
            boolean resumed = page.savedWorkMillis() > 0;
            timer(
                    run,
                    Math.max(
                            now,
                            page.startedMillis() + job.costs(page.attempt()).loadMillis(resumed)));
            return;
        }
        long done = page.attemptWorkMicro() + (now - page.paceSinceMillis()) * page.paceMicro();
        Pace pace = page.paceMicro() > 0 ? new Pace(page.paceMicro(), 0) : Pace.REFERENCE;
        if (leaves) {
            run.continueRunning(ran ? page.runningMillis() : asked, asked, pace, done);
            leaveWithin(
                    run,
                    asked,
                    page.job().graceMillis(),
                    ran ? job.costs(page.attempt()).pauseMillis() : 0,
                    now);
        } else {
            run.continueRunning(page.runningMillis(), now, pace, done);
            timer(run, Math.max(now, run.nextMillis()));
        }
    }

    /** A job is over for good: nothing about it is needed any more. */
    public void forget(long jobId) {
        lives.remove(jobId);
    }

    /** True remaining work, for the oracle. */
    public long remainingMillis(long jobId, long now) {
        Life life = lives.get(jobId);
        if (life == null) {
            return 1;
        }
        long left = life.run != null ? life.run.leftMicro(now) : life.leftMicro;
        return (left + Pace.UNIT - 1) / Pace.UNIT;
    }

    /** The true work of a live job, for estimators that blur it. */
    public long durationMillis(long jobId) {
        Life life = lives.get(jobId);
        return life == null ? 1 : life.job.durationMillis();
    }

    /**
     * Wall-clock milliseconds until a running attempt has done its work, as a script that counts its steps would say it once it has
     * run for {@code afterMillis}; -1 before, and for any other attempt.
     */
    public long countedMillis(long jobId, int attempt, long now, long afterMillis) {
        Life life = lives.get(jobId);
        Run run = life == null ? null : life.run;
        return run != null && run.attempt == attempt && run.ranMillis(now) >= afterMillis ? run.needsMillis(now) : -1;
    }

    /** When a job on GPUs begins its work, or began it. */
    public long loadedMillis(long jobId) {
        Life life = lives.get(jobId);
        return life == null || life.run == null ? Long.MAX_VALUE : life.run.loadedMillis;
    }

    /** When the engine has something to say next. */
    public long nextMillis() {
        if (!news.isEmpty()) {
            return 0; // at once: an answer to a command that takes no time
        }
        while (!timers.isEmpty() && stale(timers.peek())) {
            timers.poll();
        }
        return timers.nextTime();
    }

    private static boolean stale(Timer timer) {
        return timer.run() != null && timer.generation() != timer.run().generation;
    }

    /** Plays everything due up to now and hands over the news; the list is the caller's to keep. */
    public List<Event> advance(long now) {
        while (timers.nextTime() <= now) {
            Timer timer = timers.poll();
            Run run = timer.run();
            if (run == null) {
                playFaults(now);
            } else if (!stale(timer)) {
                next(run, now);
            }
        }
        timers.reached(now);
        return takeNews();
    }

    private List<Event> takeNews() {
        List<Event> told = news;
        news = new ArrayList<>();
        return told;
    }

    @Override
    public List<Event> reconcile() {
        return takeNews();
    }

    @Override
    public void submit(long now, Command command) {
        if (command instanceof Command.Start start) {
            start(start, now);
            return;
        }
        Life life = lives.get(command.jobId());
        Run run = life == null ? null : life.run;
        if (run == null || run.attempt != command.attempt()) {
            return; // it left on its own before the command came
        }
        if (command instanceof Command.Pause pause) {
            pause(run, pause.graceMillis(), now);
        } else {
            run.advance(now);
            leave(run, Outcome.CANCELLED, false, now);
        }
    }

    private void start(Command.Start start, long now) {
        Life life = lives.get(start.jobId());
        if (life == null || life.run != null) {
            throw new IllegalStateException("cannot start job " + start.jobId() + ": unknown here or already on GPUs");
        }
        Run run = new Run(life.job, start.attempt(), start.allocation(), now, life.leftMicro, life.ranMillis);
        board(life, run);
        Toll toll = life.job.toll(start.attempt());
        run.loadedMillis = now + toll.costs().loadMillis(start.resumed());
        run.seenMillis = now + toll.seenMillis(start.resumed());
        timer(run, Math.min(run.seenMillis, run.loadedMillis));
    }

    private void board(Life life, Run run) {
        life.run = run;
        attempts++;
        if (run.allocation.shared()) {
            for (int i = 0; i < run.allocation.size(); i++) {
                sharing.computeIfAbsent(run.allocation.gpu(i), g -> new ArrayList<>())
                        .add(run);
            }
        }
    }

    private void timer(Run run, long at) {
        timers.add(at, new Timer(run, ++run.generation));
        if (timers.size() > 4 * attempts + 64) {
            timers.removeIf(SimulatedEngine::stale); // ends of attempts that were paused long before
        }
    }

    /** What an attempt does when its time has come depends on what it was doing. */
    private void next(Run run, long now) {
        switch (run.phase) {
            case LOADING -> {
                if (now < run.loadedMillis) {
                    comeUp(run, now);
                } else {
                    loaded(run, now);
                }
            }
            case UNSEEN -> loaded(run, now);
            case RUNNING -> {
                run.advance(now);
                if (!run.seen) {
                    see(run, run.pace().micro());
                }
                if (run.over(now)) {
                    Outcome outcome = run.done() ? run.job.end() : Outcome.TIMEOUT;
                    leave(run, outcome, outcome == Outcome.COMPLETED, now);
                } else {
                    timer(run, run.nextMillis());
                }
            }
            case PAUSING -> leave(run, run.saves ? Outcome.PAUSED : Outcome.LOST, run.saves, now);
            case GONE -> {}
        }
    }

    /** From now on it counts as running; what is left of its loading goes unseen. */
    private void comeUp(Run run, long now) {
        run.phase = Run.Phase.UNSEEN;
        see(run, pace(run).micro());
        timer(run, Math.max(now, run.loadedMillis));
    }

    private void see(Run run, long paceMicro) {
        run.seen = true;
        run.toldMicro = paceMicro;
        news.add(new Event.Running(run.job.job().id(), run.attempt, paceMicro));
    }

    private void loaded(Run run, long now) {
        if (outOfMemory(run)) {
            leave(run, Outcome.OOM, true, now);
            return;
        }
        run.begin(now, pace(run));
        long pace = run.pace().micro();
        if (!run.seen && now >= run.seenMillis) {
            see(run, pace);
        } else if (run.seen && pace != run.toldMicro) {
            news.add(new Event.PaceChanged(run.job.job().id(), run.attempt, pace));
        }
        timer(run, run.nextMillis());
        repaceNeighbours(run, now);
    }

    private boolean outOfMemory(Run run) {
        Allocation allocation = run.allocation;
        // alone, one GPU is as good as the next of its type
        int looks = allocation.shared() || allocation.mixed() ? allocation.size() : 1;
        for (int i = 0; i < looks; i++) {
            int gpu = allocation.gpu(i);
            long used = run.job.peakMemoryMib();
            for (Run other : allocation.shared() ? sharing.getOrDefault(gpu, List.of()) : List.<Run>of()) {
                if (other != run && !other.loads()) {
                    used += other.job.peakMemoryMib();
                }
            }
            if (used > topology.types().get(topology.typeOf(gpu)).memoryMib()) {
                return true;
            }
        }
        return false;
    }

    private Pace pace(Run run) {
        Pace alone = SpeedModel.alone(run.job.job(), run.allocation, topology);
        return run.allocation.shared() ? alone.slowedBy(stretch(run)) : alone;
    }

    /** A gang is as slow as its most crowded GPU. */
    private double stretch(Run run) {
        double worst = 1;
        for (int i = 0; i < run.allocation.size(); i++) {
            List<Profile> others = sharing.getOrDefault(run.allocation.gpu(i), List.of()).stream()
                    .filter(other -> other != run && other.phase == Run.Phase.RUNNING)
                    .map(other -> other.job.job().profile())
                    .toList();
            worst = Math.max(worst, SpeedModel.coRunStretch(run.job.job().profile(), others));
        }
        return worst;
    }

    /** Those beside an attempt that begins or stops running change their pace. */
    private void repaceNeighbours(Run run, long now) {
        if (!run.allocation.shared()) {
            return;
        }
        Map<Long, Run> neighbours = new TreeMap<>();
        for (int i = 0; i < run.allocation.size(); i++) {
            for (Run other : sharing.getOrDefault(run.allocation.gpu(i), List.of())) {
                if (other != run && other.phase == Run.Phase.RUNNING) {
                    neighbours.put(other.job.job().id(), other);
                }
            }
        }
        for (Run other : neighbours.values()) {
            if (other.pace(now, pace(other))) {
                if (other.seen) {
                    news.add(new Event.PaceChanged(
                            other.job.job().id(), other.attempt, other.pace().micro()));
                }
                timer(other, other.nextMillis());
            }
        }
    }

    private void pause(Run run, long grace, long now) {
        if (run.phase == Run.Phase.PAUSING) {
            return;
        }
        boolean notUp = run.phase == Run.Phase.LOADING;
        boolean loading = run.loads();
        run.advance(now);
        Toll toll = run.job.toll(run.attempt);
        long needs = notUp ? 0 : toll.costs().pauseMillis();
        if (!loading && (run.done() || (toll.endsInstead() && run.needsMillis(now) <= Math.min(needs, grace)))) {
            return; // it ends by itself: this very millisecond, or before it would have saved
        }
        leaveWithin(run, now, grace, needs, now);
        repaceNeighbours(run, now);
    }

    /** It was asked to leave at that time and saves if the grace period is long enough for it. */
    private void leaveWithin(Run run, long asked, long grace, long needs, long now) {
        run.pause(asked);
        run.saves = needs <= grace;
        timer(run, Math.max(now, asked + Math.min(needs, grace)));
    }

    private void leave(Run run, Outcome outcome, boolean saved, long now) {
        Usage usage = run.usage(now, saved);
        long id = run.job.job().id();
        Life life = Objects.requireNonNull(lives.get(id));
        life.run = null;
        attempts--;
        if (run.allocation.shared()) {
            for (int i = 0; i < run.allocation.size(); i++) {
                sharing.getOrDefault(run.allocation.gpu(i), new ArrayList<>()).remove(run);
            }
        }
        boolean ran = run.phase == Run.Phase.RUNNING;
        run.phase = Run.Phase.GONE;
        run.generation++; // nothing is due for it any more
        life.leftMicro = run.leftBehindMicro(saved);
        life.ranMillis += usage.ranMillis();
        news.add(new Event.Left(id, run.attempt, outcome, usage));
        if (ran) {
            repaceNeighbours(run, now);
        }
    }

    private void playFaults(long now) {
        for (Event event : faults.play(now)) {
            news.add(event);
            if (event instanceof Event.NodeDown down) {
                loseAttempts(now, gpu -> topology.nodeOf(gpu) == down.node());
            } else if (event instanceof Event.GpuDown down) {
                loseAttempts(now, gpu -> gpu == down.gpu());
            }
        }
        if (faults.nextMillis() != Long.MAX_VALUE) {
            timers.add(faults.nextMillis(), new Timer(null, 0));
        }
    }

    private void loseAttempts(long now, IntPredicate failed) {
        List<Run> lost = new ArrayList<>();
        lives.forEach(life -> {
            Run run = life.run;
            for (int i = 0; run != null && i < run.allocation.size(); i++) {
                if (failed.test(run.allocation.gpu(i))) {
                    lost.add(run);
                    break;
                }
            }
        });
        lost.sort(Comparator.comparingLong(r -> r.job.job().id()));
        for (Run run : lost) {
            run.advance(now);
            boolean finished = run.phase == Run.Phase.RUNNING && run.done();
            Outcome outcome = finished ? run.job.end() : Outcome.LOST;
            leave(run, outcome, outcome == Outcome.COMPLETED, now);
        }
    }
}
