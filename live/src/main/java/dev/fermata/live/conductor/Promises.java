package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Job;
import dev.fermata.live.engine.News;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.Telling;
import dev.fermata.live.spec.JobSpec;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * How much GPU memory jobs are promised, and what becomes of those who needed more. Who ran out of GPU memory within a promise is tried
 * once more with a whole GPU; who had one, or ran into a limit of its own, would only fail again and is given up.
 */
final class Promises {
    private final Scheduler scheduler;
    private final Experience experience;

    Promises(Scheduler scheduler, Experience experience) {
        this.scheduler = scheduler;
        this.experience = experience;
    }

    /** A job that is asked for now, with what is known of its kind. */
    Job described(JobSpec spec, long id, String user, List<After> after, Bundle bundle) {
        Kind family = family(spec);
        Job job = Jobs.of(spec, id, user, experience.of(family, spec), after, bundle).toBuilder(id)
                .declaredMillis(experience.declaredMillis(spec))
                .trial(experience.trial(family, spec))
                .build();
        return experience.promised(job, spec, family);
    }

    Kind family(JobSpec spec) {
        return experience.families.of(spec);
    }

    long declaredMillis(JobSpec spec) {
        return experience.declaredMillis(spec);
    }

    /** What an attempt says nothing about, though it showed something: it ended too soon, or others were in its way. */
    static Set<Figure> unsound(Event.Left left, LiveRun run, Measured measured) {
        Set<Figure> unsound = EnumSet.noneOf(Figure.class);
        boolean telling =
                left.outcome() == Outcome.COMPLETED || Telling.by(left.usage().ranMillis(), measured.step());
        if (!telling) {
            unsound.addAll(Set.of(Figure.PEAK_MEMORY_MIB, Figure.BUSY_PERMILLE));
        }
        if (run.accompanied) {
            unsound.addAll(Set.of(Figure.ITERATION_MICROS, Figure.BUSY_PERMILLE));
        }
        return unsound;
    }

    /** An attempt ran out of memory: tells the scheduler, and what people shall read about it. */
    News.Exit ranOut(Event.Left left, News.Exit exit, LiveJob job, LiveRun run, Turn turn) {
        Job known = Objects.requireNonNull(scheduler.job(job.id)).job();
        boolean ofGpu = exit.shortage() == Shortage.GPU_MEMORY;
        int whole = experience.wholeMib(run.allocation);
        int had = had(known, run.allocation, whole);
        if (ofGpu) {
            turn.tooLittleMib.put(job.id, had);
        }
        String why = hopeless(ofGpu, had >= whole, job.spec);
        if (!why.isEmpty()) {
            turn.tell(new Event.Changed(
                    known.toBuilder(known.id()).maxOutOfMemory(0).build()));
            turn.tell(left);
            return exit.saying(exit.detail() + "; " + why);
        }
        turn.tell(left);
        if (ofGpu) {
            turn.tell(new Event.Changed(known.withDemand(known.demand().withGpuMemory(whole))));
        }
        return exit;
    }

    /** A person knows better of some kinds; their jobs hear of it in the next turn. */
    void retell(Request.Retell retell, Roster roster, Turn turn) {
        retell.changes().forEach((kind, change) -> {
            if (retell.forgets()) {
                turn.retold.addAll(experience.book.forget(kind, turn.nowMillis));
                turn.pairs.addAll(experience.pairs.forget(kind, turn.nowMillis));
            } else {
                experience.book.replace(kind, change.apply(experience.book.notes(kind)), turn.nowMillis);
                turn.retold.add(kind);
            }
            experience.changed(kind.anywhere(), roster);
        });
    }

    /** The memory of each GPU that it could use. */
    private static int had(Job job, Allocation allocation, int whole) {
        return allocation.shared() ? Math.min(whole, job.demand().gpuMemoryMib()) : whole;
    }

    private static String hopeless(boolean ofGpu, boolean hadAll, JobSpec spec) {
        if (ofGpu && hadAll) {
            return "it had all memory of its GPU, so it is not tried again";
        }
        return !ofGpu && spec.memoryMib() > 0
                ? "it is not tried again: give it more than memory: " + spec.memoryMib() + "MiB"
                : "";
    }
}
