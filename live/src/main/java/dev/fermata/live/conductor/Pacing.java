package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.live.learn.Beside;
import dev.fermata.live.learn.Measured;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells the scheduler how fast attempts are that have others beside them: as their own steps show, before that as the speed model
 * expects; and that they are as fast as alone once nobody works beside them. Belongs to the conductor's thread.
 */
final class Pacing {
    /** While anybody has company, this often at most somebody looks. */
    static final long LOOK_MILLIS = 1_000;

    /** A pace that differs by less than this share from what is believed is the same. */
    private static final double MATERIAL = 0.1;

    /** With the same neighbours another pace is told no sooner than this after the last. */
    static final long AGAIN_MILLIS = 10_000;

    /** So many are told in one look at most; the others in the next. */
    private static final int PER_LOOK = 200;

    /** Whoever is slower than this beside others is taken to be this fast: a step that hangs is no measurement. */
    private static final double SLOWEST = 0.02;

    /** A mean pace that is off by no more than this is that of an attempt which was alone. */
    private static final double ROUNDING = 0.005;

    private static final double UNKNOWN = -1;

    private final Scheduler scheduler;
    private final Roster roster;
    private final Floor floor;
    private final Reports reports;
    private final Experience experience;
    private final Topology topology;
    /** Attempts that have or had company. */
    private final Set<LiveRun> accompanied = new LinkedHashSet<>();

    private long nextMillis = Plan.NEVER;

    Pacing(Scheduler scheduler, Roster roster, Floor floor, Reports reports, Experience experience) {
        this.scheduler = scheduler;
        this.roster = roster;
        this.floor = floor;
        this.reports = reports;
        this.experience = experience;
        this.topology = scheduler.view().topology();
    }

    long nextMillis() {
        return nextMillis;
    }

    /** Something happened to an attempt on GPUs that others may be on: who is beside whom is looked at anew. */
    void changed(LiveRun run) {
        if (run.accompanied) {
            nextMillis = 0;
        }
    }

    /** Two attempts are on one GPU from now on. */
    void meet(LiveRun one, LiveRun other, long nowMillis) {
        for (LiveRun run : List.of(one, other)) {
            run.accompanied = true;
            accompanied.add(run);
            reports.beside(run.jobId, run.attempt, null, nowMillis);
        }
        nextMillis = 0;
    }

    /** Looks at all who have company, if it is time. */
    void look(Turn turn) {
        if (turn.nowMillis < nextMillis) {
            return;
        }
        boolean again = false;
        int told = 0;
        for (Iterator<LiveRun> runs = accompanied.iterator(); runs.hasNext(); ) {
            LiveRun run = runs.next();
            LiveJob job = roster.find(run.jobId);
            JobView view = scheduler.job(run.jobId);
            if (job == null || job.run != run || view == null || !view.state().holdsGpus()) {
                runs.remove();
                continue;
            }
            Company company = company(run.jobId, run.allocation, turn.nowMillis);
            boolean steps = view.state() == JobState.RUNNING;
            reports.beside(run.jobId, run.attempt, steps && company.sure ? company.kinds : null, turn.nowMillis);
            if (steps && told < PER_LOOK) {
                told += tell(run, view, company, turn) ? 1 : 0;
            }
            again |= company.someone;
        }
        nextMillis = again || told == PER_LOOK ? turn.nowMillis + LOOK_MILLIS : Plan.NEVER;
    }

    /**
     * Who is on the GPUs of an attempt.
     *
     * @param someone whether anybody is
     * @param sure whether it is known of all of them whether they work
     * @param kinds the kinds of those who do, in order
     * @param workers how they train
     */
    private record Company(boolean someone, boolean sure, List<String> kinds, List<Profile> workers) {}

    /** How much longer its steps should take for those who work beside it: on the GPU where they are the most. */
    private double stretch(LiveRun run, JobView view, long nowMillis) {
        double most = 1;
        for (int i = 0; i < run.allocation.size(); i++) {
            Allocation one = Allocation.of(topology, new int[] {run.allocation.gpu(i)}, true);
            Company there = company(run.jobId, one, nowMillis);
            most = Math.max(most, SpeedModel.coRunStretch(view.job().profile(), there.workers));
        }
        return most;
    }

    private Company company(long jobId, Allocation allocation, long nowMillis) {
        List<String> kinds = new ArrayList<>();
        List<Profile> workers = new ArrayList<>();
        Set<Long> others = floor.company(jobId, allocation);
        boolean sure = true;
        for (long id : others) {
            LiveJob other = roster.find(id);
            JobView view = scheduler.job(id);
            if (other != null && view != null && works(view, nowMillis)) {
                kinds.add(other.family.label());
                workers.add(view.job().profile());
            } else {
                sure = false;
            }
        }
        kinds.sort(null);
        return new Company(!others.isEmpty(), sure, kinds, workers);
    }

    /** Who loads, saves or ends may slow others or not; who never says a word is taken to load for as long as its kind does. */
    private boolean works(JobView view, long nowMillis) {
        if (view.state() != JobState.RUNNING) {
            return false;
        }
        Costs costs = view.job().costs();
        long load = view.resumed() ? costs.reloadMillis() : costs.firstLoadMillis();
        return switch (reports.activity(view.id(), view.attempt())) {
            case STEPPING -> true;
            case SILENT -> nowMillis - view.runningMillis() >= load;
            case LOADING, FINISHED -> false;
        };
    }

    private boolean tell(LiveRun run, JobView view, Company company, Turn turn) {
        long alone = SpeedModel.alone(view.job(), run.allocation, topology).micro();
        long believed = view.paceMicro();
        if (run.pacedBeside == null && !company.kinds.isEmpty() && believed != alone) {
            run.pacedBeside = company.kinds; // an earlier daemon told it
        }
        boolean asBefore = company.kinds.equals(run.pacedBeside);
        double measured = measured(run, company);
        if (asBefore && (measured == UNKNOWN || turn.nowMillis - run.pacedMillis < AGAIN_MILLIS)) {
            return false;
        }
        double speed = measured != UNKNOWN ? measured : 1 / stretch(run, view, turn.nowMillis);
        long pace = Math.max(1, Math.round(alone * speed));
        if (speed == 1 ? pace == believed : Math.abs(pace - believed) <= MATERIAL * believed) {
            return false;
        }
        run.pacedBeside = company.kinds;
        run.pacedMillis = turn.nowMillis;
        turn.tell(new Event.PaceChanged(run.jobId, run.attempt, pace));
        return true;
    }

    /** Its speed relative to alone, as its steps show it. */
    private double measured(LiveRun run, Company company) {
        if (company.kinds.isEmpty() || !company.sure) {
            return UNKNOWN;
        }
        Stretches stretches = reports.stretches(run.jobId, run.attempt);
        long beside = stretches.micros(company.kinds);
        long alone = aloneMicros(run, stretches);
        return beside > 0 && alone > 0 ? Math.max(SLOWEST, Math.min(1, (double) alone / beside)) : UNKNOWN;
    }

    /** What a step takes with nobody beside it: what this attempt showed, else what is known of its kind; -1 when nobody knows. */
    private long aloneMicros(LiveRun run, Stretches stretches) {
        long own = stretches.micros(List.of());
        LiveJob job = roster.find(run.jobId);
        return own > 0 || job == null ? own : experience.iterationMicros(job.family, run.allocation);
    }

    /** What an attempt that has just left showed of being beside others, added to what else it showed. */
    Measured shown(LiveRun run, Measured measured) {
        if (!run.accompanied) {
            return measured;
        }
        Stretches stretches = reports.stretches(run.jobId, run.attempt);
        long alone = aloneMicros(run, stretches);
        if (alone <= 0) {
            return measured;
        }
        List<Beside> seen = new ArrayList<>();
        stretches.pairs().forEach((kind, micros) -> seen.add(new Beside(kind, micros, alone)));
        return seen.isEmpty() ? measured : measured.withBeside(seen);
    }

    /**
     * The engine counts kept work at the pace of an attempt that is alone; beside others it was less, by the mean of what was
     * told while it ran.
     */
    Event.Left corrected(Event.Left left, LiveRun run, long nowMillis) {
        JobView view = scheduler.job(left.jobId());
        Usage usage = left.usage();
        if (view == null || !run.allocation.shared() || run.runningMillis < 0 || usage.usefulMillis() == 0) {
            return left;
        }
        long ran = (run.pausingMillis >= 0 ? run.pausingMillis : nowMillis) - view.runningMillis();
        double work = view.doneWorkMillis(nowMillis) - view.savedWorkMillis();
        double alone =
                (double) SpeedModel.alone(view.job(), run.allocation, topology).micro() / Pace.UNIT;
        double mean = ran <= 0 ? alone : work / ran;
        if (ran <= 0 || Math.abs(mean - alone) <= ROUNDING * alone + 1.0 / ran) {
            return left;
        }
        Usage counted = new Usage(
                usage.loadMillis(),
                usage.usefulMillis(),
                usage.lostMillis(),
                usage.pauseMillis(),
                usage.communicationMillis(),
                view.savedWorkMillis() + Math.round(usage.usefulMillis() * mean));
        return new Event.Left(left.jobId(), left.attempt(), left.outcome(), counted);
    }

    /** After a restart nobody knows who was beside whom before. */
    void recall(LiveRun run, Allocation held) {
        run.accompanied = held.shared();
        if (run.accompanied) {
            accompanied.add(run);
            nextMillis = 0;
        }
    }
}
