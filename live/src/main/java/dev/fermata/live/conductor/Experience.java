package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.model.Trial;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.MemoryPromise;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
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
    /** So many jobs at most are described anew in one turn; the others in the next. */
    private static final int PER_TURN = 200;

    /** A job that has this variable runs only so many steps, for its profile. */
    static final String PROFILE_STEPS = "FERMATA_PROFILE_STEPS";

    final KindBook book;
    private final Topology topology;
    private final Unseen unseen;
    /** What live jobs last heard of their kinds; as many as the book has kinds. */
    private final Map<Kind, Knowledge> told = new HashMap<>();

    /** Jobs of which something else may be believed now. */
    private final Set<LiveJob> stale = new LinkedHashSet<>();

    private Experience(KindBook book, Topology topology, Unseen unseen) {
        this.book = book;
        this.topology = topology;
        this.unseen = unseen;
    }

    /** As the store has it. Without it costs are assumed, nothing more. */
    static Experience from(Store.Reader reader, Topology topology, ConductorSettings settings) {
        KindBook book = new KindBook(settings.costs());
        try {
            book.recall(reader.kinds(KINDS));
        } catch (StoreException e) {
            LOG.warn("what was learned of earlier jobs cannot be read: {}", e.getMessage());
        }
        return new Experience(book, topology, new Unseen(book, settings.profileWaitMillis()));
    }

    /** What is believed of a job before it is known where it will run: as if on the first type that it accepts, at its full size. */
    Knowledge of(JobSpec spec) {
        return of(Kind.of(spec, "", 0), spec);
    }

    /** The same of a job whose command and model are known. */
    Knowledge of(Kind family, JobSpec spec) {
        return book.knowledge(expected(family, spec));
    }

    /** The kind that a job is taken to be of before it is known where it will run. */
    private Kind expected(Kind family, JobSpec spec) {
        return family.on(typeFor(spec), spec.maxGpus());
    }

    /** Whether a job is of a kind that is yet to be seen. */
    Trial trial(Kind family, JobSpec spec) {
        return spec.env().containsKey(PROFILE_STEPS) ? Trial.NONE : unseen.trial(expected(family, spec));
    }

    /** Enough was seen of the kind of this job, or as much as will be: nobody waits for it any more. */
    void seen(Trial trial) {
        unseen.over(trial);
    }

    private String typeFor(JobSpec spec) {
        for (GpuType type : topology.types()) {
            if (Jobs.accepts(spec, type)) {
                return type.name();
            }
        }
        return "";
    }

    /** Takes note of what an attempt shows, in place of what it showed before; whether live jobs like it should hear of it. */
    boolean learn(LiveJob job, LiveRun run, Measured measured, Set<Figure> unsound, Turn turn) {
        Kind kind = kind(job.family, run.allocation);
        Measured before = run.shown;
        turn.kinds.addAll(
                before == null
                        ? book.learn(kind, measured, unsound, turn.nowMillis)
                        : book.relearn(kind, before, measured, unsound, turn.nowMillis));
        boolean own = isNews(kind);
        boolean alike = isNews(kind.anywhere());
        return own || alike;
    }

    /** Whether what is believed of a kind is materially other than when its jobs last heard of it. */
    private boolean isNews(Kind kind) {
        Knowledge now = book.knowledge(kind);
        Knowledge before = told.get(kind);
        boolean news = before == null
                || before.saves() != now.saves()
                || before.profile().peakMemoryMib() != now.profile().peakMemoryMib()
                || before.profile().busyShare() != now.profile().busyShare()
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
        return spec.timeMillis() == 0 ? 0 : Math.round(spec.timeMillis() * speedFor(spec));
    }

    /** How much faster than the reference GPU it is on the first type that it accepts. */
    double speedFor(JobSpec spec) {
        return Jobs.speed(spec, topology, of(spec).profile());
    }

    /** Memory of each of these GPUs. */
    int wholeMib(Allocation allocation) {
        return topology.types().get(topology.typeOf(allocation.gpu(0))).memoryMib();
    }

    /** GPU memory that a job is promised: 0 when nobody knows what it needs, or when that is what it shall show, alone. */
    int promiseMib(Kind family, JobSpec spec) {
        if (spec.env().containsKey(PROFILE_STEPS)) {
            return 0;
        }
        int whole = topology.types().stream()
                .filter(type -> Jobs.accepts(spec, type))
                .mapToInt(GpuType::memoryMib)
                .max()
                .orElse(0);
        return MemoryPromise.mib(spec.gpuMemoryMib(), book.notes(expected(family, spec)), whole);
    }

    /** Something else is believed of these jobs now. */
    void changed(Kind family, Roster roster) {
        stale.addAll(roster.family(family));
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
    void spread(Scheduler scheduler, Turn turn) {
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
            turn.events.add(new Event.Changed(anew));
        }
    }

    private static boolean material(Job before, Job after) {
        return !before.demand().equals(after.demand())
                || !before.trial().equals(after.trial())
                || before.profile().busyShare() != after.profile().busyShare()
                || materialCosts(before.costs(), after.costs())
                || differ(before.checkpointMillis(), after.checkpointMillis())
                || differ(before.minRuntimeMillis(), after.minRuntimeMillis());
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
