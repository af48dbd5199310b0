package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.model.Trial;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.learn.Learned;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.MemoryPromise;
import dev.fermata.live.learn.PairBook;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was learned of kinds of jobs, asked and taught for the jobs of this cluster. Live jobs hear of it when it changes what is
 * believed of them by so much that a decision may depend on it. Belongs to the conductor's thread.
 */
final class Experience {
    private static final Logger LOG = LoggerFactory.getLogger(Experience.class);
    /** As many as a restart may read; those nobody ran for longest are forgotten first. */
    private static final int KINDS = 5_000;
    /** Costs that differ by less than this share of them, or by less than this time, are taken for the same. */
    private static final double MATERIAL_SHARE = 0.2;

    private static final long MATERIAL_MILLIS = 200;
    /** How much longer a step takes beside another is the same when it differs by no more than this. */
    private static final double MATERIAL_STRETCH = 0.05;

    /** So many jobs at most are described anew in one turn; the others in the next. */
    private static final int PER_TURN = 200;

    /** A job that has this variable runs only so many steps, for its profile. */
    static final String PROFILE_STEPS = "FERMATA_PROFILE_STEPS";

    final KindBook book;
    final Families families = new Families();
    final PairBook pairs = new PairBook();
    private final Topology topology;
    private final Unseen unseen;
    /** What live jobs last heard of their kinds; as many as the book has kinds. */
    private final Map<Kind, Knowledge> told = new HashMap<>();

    /** Kinds of which something was learned in this turn. */
    private final Set<Kind> taught = new LinkedHashSet<>();

    /** Jobs of which something else may be believed now. */
    private final Set<LiveJob> stale = new LinkedHashSet<>();

    private Experience(KindBook book, Topology topology, Unseen unseen) {
        this.book = book;
        this.topology = topology;
        this.unseen = unseen;
    }

    /** As rows and the lines after the image have it. Without it costs are assumed, nothing more. */
    static Experience from(Store.Reader reader, List<Line> lines, Topology topology, ConductorSettings settings) {
        KindBook book = new KindBook(settings.costs());
        Experience experience = new Experience(book, topology, new Unseen(book, settings.profileWaitMillis()));
        try {
            book.recall(reader.kinds(KINDS), lines);
            experience.pairs.recall(reader.pairs(KINDS));
        } catch (StoreException e) {
            LOG.warn("what was learned of earlier jobs cannot be read: {}", e.getMessage());
        }
        return experience;
    }

    /** What is believed of a job before it is known where it will run: as if on the first type that it accepts, at its full size. */
    Knowledge of(JobSpec spec) {
        return of(families.of(spec), spec);
    }

    /** The same of a job whose command and model are known. */
    Knowledge of(Kind family, JobSpec spec) {
        Knowledge known = believed(expected(family, spec));
        return isProfileRun(spec) ? known.training(known.profile().named("profile of " + family.label())) : known;
    }

    /** It ends after a few steps: of how long such jobs run it says nothing, so it goes by another name. */
    private static boolean isProfileRun(JobSpec spec) {
        return spec.env().containsKey(PROFILE_STEPS);
    }

    /** The kind that a job is taken to be of before it is known where it will run. */
    private Kind expected(Kind family, JobSpec spec) {
        return family.on(typeFor(spec), spec.maxGpus());
    }

    /** Whether a job is of a kind that is yet to be seen. */
    Trial trial(Kind family, JobSpec spec) {
        return isProfileRun(spec) ? Trial.NONE : unseen.trial(expected(family, spec));
    }

    /** Enough was seen of the kind of this job, or as much as will be: nobody waits for it any more. */
    void seen(Trial trial) {
        unseen.over(trial);
    }

    /** What is believed of a kind, and of it beside others. */
    private Knowledge believed(Kind kind) {
        Knowledge known = book.knowledge(kind);
        Profile seen = pairs.over(kind, known.profile(), book.noted(kind).said().containsKey(Figure.BUSY_PERMILLE));
        return seen.equals(known.profile()) ? known : known.training(seen);
    }

    /** What a step of such a job takes with nobody beside it; -1 when nobody knows. */
    long iterationMicros(Kind family, Allocation allocation) {
        return book.noted(kind(family, allocation)).value(Figure.ITERATION_MICROS);
    }

    private String typeFor(JobSpec spec) {
        for (GpuType type : topology.types()) {
            if (Jobs.accepts(spec, type)) {
                return type.name();
            }
        }
        return "";
    }

    /** Takes note of what an attempt showed. What that means is thought about once for all that showed something in a turn. */
    void learn(Measured measured, Learned learned, Turn turn) {
        note(measured, learned, turn);
        taught(learned.kind());
    }

    void taught(Kind kind) {
        taught.add(kind);
    }

    /** The same without telling those who wait; somebody else will. */
    void note(Measured measured, Learned learned, Turn turn) {
        book.learn(measured, learned, turn.nowMillis);
        turn.pairs.addAll(pairs.learn(learned.kind(), measured.beside(), turn.nowMillis));
    }

    /** Live jobs hear of what was learned if it is news. */
    private void conclude(Roster roster) {
        for (Kind kind : taught) {
            boolean own = isNews(kind);
            boolean alike = !book.isAlone(kind) && isNews(kind.anywhere());
            if (own || alike) {
                changed(kind.anywhere(), roster);
            }
        }
        taught.clear();
    }

    /** Whether what is believed of a kind is materially other than when its jobs last heard of it. */
    private boolean isNews(Kind kind) {
        Knowledge now = believed(kind);
        Knowledge before = told.get(kind);
        boolean news = before == null
                || before.saves() != now.saves()
                || before.profile().peakMemoryMib() != now.profile().peakMemoryMib()
                || materialShares(before.profile(), now.profile())
                || materialCosts(before.costs(), now.costs())
                || differ(before.checkpointMillis(), now.checkpointMillis());
        if (news) {
            told.put(kind, now);
        }
        return news;
    }

    /** The kind that an attempt on these GPUs is of. */
    Kind kind(Kind family, Allocation allocation) {
        GpuType type = topology.types().get(topology.typeOf(allocation.gpu(0)));
        return family.on(type.name(), allocation.size());
    }

    /** The job with the GPU memory that it is promised; never less than it was promised before. */
    Job promised(Job job, JobSpec spec, Kind family) {
        int before = job.demand().gpuMemoryMib();
        int promise = Math.max(before, promiseMib(family, spec));
        return promise == before ? job : job.withDemand(job.demand().withGpuMemory(promise));
    }

    /** A user speaks of the clock on the GPUs his job will get, the scheduler of work on the reference GPU. */
    long declaredMillis(JobSpec spec) {
        return spec.timeMillis() == 0 ? 0 : Math.round(spec.timeMillis() * speedFor(spec, of(spec)));
    }

    /** How much faster than the reference GPU it is on the first type that it accepts. */
    double speedFor(JobSpec spec, Knowledge known) {
        return Jobs.speed(spec, topology, known.profile());
    }

    /** Memory of each of these GPUs. */
    int wholeMib(Allocation allocation) {
        return topology.types().get(topology.typeOf(allocation.gpu(0))).memoryMib();
    }

    /** GPU memory that a job is promised: 0 when nobody knows what it needs, or when that is what it shall show, alone. */
    int promiseMib(Kind family, JobSpec spec) {
        if (isProfileRun(spec)) {
            return 0;
        }
        int whole = 0;
        for (GpuType type : topology.types()) {
            whole = Jobs.accepts(spec, type) ? Math.max(whole, type.memoryMib()) : whole;
        }
        return MemoryPromise.mib(spec.gpuMemoryMib(), book.noted(expected(family, spec)), whole);
    }

    /** Something else is believed of these jobs now. */
    void changed(Kind family, Roster roster) {
        stale.addAll(roster.family(family));
    }

    /** The same of jobs whose neighbours showed something of them. */
    void changedBeside(Measured measured, Roster roster) {
        measured.beside().forEach(beside -> stale.addAll(roster.labelled(beside.neighbour())));
    }

    /** Something else is to be believed of this job. */
    void changed(LiveJob job) {
        stale.add(job);
    }

    /** Whether there are jobs that should hear of something. */
    boolean hasNews() {
        return !stale.isEmpty();
    }

    /** Tells the scheduler what is now believed of live jobs, where that differs materially. */
    void spread(Scheduler scheduler, Roster roster, Turn turn) {
        conclude(roster);
        Iterator<LiveJob> jobs = stale.iterator();
        for (int i = 0; i < PER_TURN && jobs.hasNext(); i++) {
            LiveJob job = jobs.next();
            jobs.remove();
            JobView view = scheduler.job(job.id);
            if (view != null && !job.state.isFinal()) {
                JobSpec spec = turn.described.getOrDefault(job.id, job.spec);
                describe(job, spec, view, view.state() == JobState.PENDING && !view.promised(), turn);
            }
        }
    }

    /** A job is back in the queue: what it is promised may be known by now. */
    void returns(LiveJob job, JobView view, Turn turn) {
        describe(job, turn.described.getOrDefault(job.id, job.spec), view, true, turn);
    }

    private void describe(LiveJob job, JobSpec spec, JobView view, boolean waits, Turn turn) {
        Job known = turn.known(view);
        Job anew = Jobs.with(known, spec, of(job.family, spec));
        anew = waits ? promised(anew, spec, job.family) : anew;
        if (!known.trial().isNone()
                && (view.promised() || trial(job.family, spec).isNone())) {
            anew = anew.toBuilder(job.id).trial(Trial.NONE).build();
        }
        if (material(known, anew)) {
            turn.tell(new Event.Changed(anew));
        }
    }

    private static boolean material(Job before, Job after) {
        return !before.demand().equals(after.demand())
                || materialShares(before.profile(), after.profile())
                || !before.trial().equals(after.trial())
                || materialCosts(before.costs(), after.costs())
                || differ(before.checkpointMillis(), after.checkpointMillis())
                || differ(before.minRuntimeMillis(), after.minRuntimeMillis());
    }

    private static boolean materialShares(Profile before, Profile after) {
        Map<String, Double> known = before.stretchBeside();
        Map<String, Double> now = after.stretchBeside();
        return before.busyShare() != after.busyShare()
                || !known.keySet().equals(now.keySet())
                || known.entrySet().stream()
                        .anyMatch(pair ->
                                Math.abs(pair.getValue() - now.getOrDefault(pair.getKey(), 0.0)) > MATERIAL_STRETCH);
    }

    private static boolean materialCosts(Costs before, Costs after) {
        return differ(before.pauseMillis(), after.pauseMillis())
                || differ(before.reloadMillis(), after.reloadMillis())
                || differ(before.firstLoadMillis(), after.firstLoadMillis());
    }

    private static boolean differ(long before, long after) {
        long apart = Math.abs(after - before);
        return apart > MATERIAL_MILLIS && apart > MATERIAL_SHARE * before;
    }
}
