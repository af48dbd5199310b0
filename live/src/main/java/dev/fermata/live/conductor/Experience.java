package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.Iterator;
import java.util.LinkedHashSet;
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

    final KindBook book;
    private final Topology topology;
    /** Jobs of which something else may be believed now. */
    private final Set<LiveJob> stale = new LinkedHashSet<>();

    private Experience(KindBook book, Topology topology) {
        this.book = book;
        this.topology = topology;
    }

    /** As the store has it. Without it costs are assumed, nothing more. */
    static Experience from(Store.Reader reader, Topology topology, ConductorSettings settings) {
        KindBook book = new KindBook(settings.costs());
        try {
            book.recall(reader.kinds(KINDS));
        } catch (StoreException e) {
            LOG.warn("what was learned of earlier jobs cannot be read: {}", e.getMessage());
        }
        return new Experience(book, topology);
    }

    /** What is believed of a job before it is known where it will run: as if on the first type that it accepts, at its full size. */
    Knowledge of(JobSpec spec) {
        return of(Kind.of(spec, "", 0), spec);
    }

    /** The same of a job whose command and model are known. */
    private Knowledge of(Kind family, JobSpec spec) {
        return book.knowledge(family.on(typeFor(spec), spec.maxGpus()));
    }

    private String typeFor(JobSpec spec) {
        for (GpuType type : topology.types()) {
            if (spec.accelerators().isEmpty() || spec.accelerators().stream().anyMatch(type.name()::equalsIgnoreCase)) {
                return type.name();
            }
        }
        return "";
    }

    /** Takes note of what an attempt showed that has just left. */
    void learn(LiveJob job, Allocation allocation, Measured measured, Roster roster, Turn turn) {
        GpuType type = topology.types().get(topology.typeOf(allocation.gpu(0)));
        Kind kind = job.family.on(type.name(), allocation.size());
        turn.kinds.addAll(book.learn(kind, measured, turn.nowMillis));
        changed(job.family, roster);
    }

    /** Something else is believed of these jobs now. */
    void changed(Kind family, Roster roster) {
        stale.addAll(roster.family(family));
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
                Job anew = Jobs.with(view.job(), spec, of(job.family, spec));
                if (material(view.job(), anew)) {
                    turn.events.add(new Event.Changed(anew));
                }
            }
        }
    }

    private static boolean material(Job before, Job after) {
        return differ(before.costs().pauseMillis(), after.costs().pauseMillis())
                || differ(before.costs().reloadMillis(), after.costs().reloadMillis())
                || differ(before.costs().firstLoadMillis(), after.costs().firstLoadMillis())
                || differ(before.checkpointMillis(), after.checkpointMillis())
                || differ(before.minRuntimeMillis(), after.minRuntimeMillis());
    }

    private static boolean differ(long before, long after) {
        long apart = Math.abs(after - before);
        return apart > MATERIAL_MILLIS && apart > MATERIAL_SHARE * before;
    }
}
